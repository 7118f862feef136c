import { setTimeout as sleep } from "node:timers/promises";
import { invariant } from "../../core/assert.ts";
import type { Containment, Processes, ProcessIdentity } from "../../ports/processes.ts";
import { containmentHere } from "./containment.ts";
import { killAll, orphansOf } from "./descendants.ts";
import { killBearers, killGroup, killMarked, killOne, markedMembers, signalGroup } from "./group.ts";
import { holdCheck } from "./held-check.ts";
import { holdCommand } from "./held-command.ts";
import { identify, isAlive, isNearby } from "./identity.ts";
import { killInside } from "./inside.ts";
import { marksIn } from "./mark.ts";
import { keepSpare } from "./proc-files.ts";
import { LIMITS, type SuperviseLimits } from "./supervise.ts";

/** How long a killed process may take to be gone; beyond it the kernel holds it and nobody can help. */
const KILLED_WAIT_MS = 10_000;
const ALIVE_POLL_MS = 10;

/**
 * Child processes of this machine, on Linux and macOS. For tests, `limits` lowers the bounds, and `level` is one that the
 * machine is held to though it gives a better one.
 */
export function localProcesses(limits: Partial<SuperviseLimits> = {}, level?: Containment): Processes {
  const all = { ...LIMITS, ...limits };
  const containment = async () => level ?? (await containmentHere());
  keepSpare();
  const self = identify(process.pid);
  invariant(self, "this process is not in the process table");
  return {
    self: () => self,
    alive: isAlive,
    kill: (identity) => kill(identity, all.graceMs),
    killBearers,
    killInside,
    containment,
    holdCheck: (request) => holdCheck(request, all),
    holdCommand: async (request) =>
      holdCommand({ ...request, contain: request.contain === true && (await containment()) === "namespace" }, all),
  };
}

async function kill(identity: ProcessIdentity, graceMs: number): Promise<void> {
  // A pid alone is no proof: in a container the next engine often has the pid of a dead runner.
  invariant(!(identity.pid === process.pid && isAlive(identity)), "a process does not end itself through this port");
  // Its number means nothing here, and what it holds dies with its namespace.
  if (!isNearby(identity)) return;
  if (!isAlive(identity)) return killLeftBehind(identity);
  // The mark is read while there is still an environment to read it from.
  const mark = marksIn(identity.pid)?.split(":").at(-1);
  const descendants = orphansOf(identity.pid);
  signal(identity.pid, "SIGTERM");
  if (!(await goneWithin(identity, graceMs)) && isAlive(identity)) {
    signal(identity.pid, "SIGKILL");
    await goneWithin(identity, KILLED_WAIT_MS);
  }
  await killGroup(identity.pid);
  if (mark !== undefined) await killMarked(mark, identity.pid);
  killAll(descendants);
}

/** A leader that has ended unseen may have left members of its group behind; the mark tells them from strangers. */
async function killLeftBehind(identity: ProcessIdentity): Promise<void> {
  if (identify(identity.pid) !== null) return;
  for (const pid of markedMembers(identity.pid)) killOne(pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  // A process that leads no group of its own is signalled alone.
  if (signalGroup(pid, name)) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function goneWithin(identity: ProcessIdentity, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isAlive(identity)) {
    if (performance.now() >= deadline) return false;
    await sleep(ALIVE_POLL_MS);
  }
  return true;
}
