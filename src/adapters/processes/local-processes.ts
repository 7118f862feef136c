import { setTimeout as sleep } from "node:timers/promises";
import { invariant } from "../../core/assert.ts";
import type { Processes, ProcessIdentity } from "../../ports/processes.ts";
import { killBearers, killGroup, killMarked, killOne, markedMembers, markOf, signalGroup } from "./group.ts";
import { holdCheck } from "./held-check.ts";
import { holdCommand } from "./held-command.ts";
import { identify, isAlive } from "./identity.ts";
import { LIMITS, type SuperviseLimits } from "./supervise.ts";

/** How long a killed process may take to be gone; beyond it the kernel holds it and nobody can help. */
const KILLED_WAIT_MS = 10_000;
const ALIVE_POLL_MS = 10;

/** Child processes of this machine, on Linux and macOS. `limits` lowers the bounds, for tests. */
export function localProcesses(limits: Partial<SuperviseLimits> = {}): Processes {
  const all = { ...LIMITS, ...limits };
  const self = identify(process.pid);
  invariant(self, "this process is not in the process table");
  return {
    self: () => self,
    alive: isAlive,
    kill: (identity) => kill(identity, all.graceMs),
    killBearers,
    holdCheck: (request) => holdCheck(request, all),
    holdCommand: (request) => holdCommand(request, all),
  };
}

async function kill(identity: ProcessIdentity, graceMs: number): Promise<void> {
  invariant(identity.pid !== process.pid, "a process does not end itself through this port");
  if (!isAlive(identity)) return killLeftBehind(identity);
  // The mark is read while there is still an environment to read it from.
  const mark = markOf(identity.pid);
  signal(identity.pid, "SIGTERM");
  if (!(await goneWithin(identity, graceMs)) && isAlive(identity)) {
    signal(identity.pid, "SIGKILL");
    await goneWithin(identity, KILLED_WAIT_MS);
  }
  await killGroup(identity.pid);
  if (mark !== null) await killMarked(mark, identity.pid);
}

/** A leader that has ended unseen may have left members of its group behind; the mark tells them from strangers. */
async function killLeftBehind(identity: ProcessIdentity): Promise<void> {
  const self = identify(process.pid);
  if (identity.node !== self?.node || identity.boot !== self.boot || identify(identity.pid) !== null) return;
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
