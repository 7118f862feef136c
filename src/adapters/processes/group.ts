import { setTimeout as sleep } from "node:timers/promises";
import { bears, hasEntry, MARK } from "./mark.ts";
import { livingPids, readProc } from "./proc-files.ts";
import { isGone, isProcess, readStat, withAncestors } from "./process-stat.ts";

const LINUX = process.platform === "linux";

/** A killed process is gone within microseconds unless the kernel holds it in a device call: then nobody can help. */
const GONE_WAIT_MS = 2_000;
const GONE_POLL_MS = 5;

/** A process can fork between being found and being killed; whoever outruns so many rounds is a fork bomb. */
const SWEEP_ROUNDS = 100;

/** So often a look that found newer processes goes on with these; a machine can be busy for ever. */
const CHASED_MAX = 50;

/** Below this many new process ids each is looked at by number; above it the list of the living is shorter. */
const PROBED_PIDS_MAX = 64;

/** Sends a signal to a whole process group; false when the group is gone or not ours to signal. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // EPERM: only members of another user are left (or, on macOS, only zombies).
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
}

/** Kills a group whose leader has ended, and waits until no member lives. Costs one system call when none is left. */
export async function killGroup(group: number): Promise<void> {
  if (!signalGroup(group, "SIGKILL")) return;
  const deadline = performance.now() + GONE_WAIT_MS;
  while (performance.now() < deadline && groupLives(group)) await sleep(GONE_POLL_MS);
}

/**
 * Kills what left the group (`setsid`) but still bears the mark in its environment. `leader` is the process that the
 * mark was given to: only younger process ids are looked at, none when the kernel has given out no younger one.
 * Where there is no /proc this does nothing.
 */
export async function killMarked(mark: string, leader: number): Promise<void> {
  if (LINUX) await sweep(() => killYounger(leader, (pid) => bears(pid, mark)));
}

/** Kills every process that has this entry in its environment, never one that this one descends from. Where there is no /proc this does nothing. */
export async function killBearers(entry: string): Promise<void> {
  if (!LINUX) return;
  const own = withAncestors(process.pid);
  await sweep(() => killLiving((pid) => !own.includes(pid) && hasEntry(pid, entry)));
}

/** Kills, round after round, until a round has found nothing. */
export async function sweep(killFound: () => number): Promise<void> {
  for (let round = 0; round < SWEEP_ROUNDS && killFound() > 0; round += 1) await sleep(GONE_POLL_MS);
}

/** Kills every living process that is meant. Answers how many. */
export function killLiving(isMeant: (pid: number) => boolean): number {
  const newest = newestPid();
  return killEach(livingPids(), isMeant) + killYounger(Math.max(0, newest - PROBED_PIDS_MAX), isMeant);
}

/**
 * The same of those that were given a number after `pid` was, up to the newest: what forks its successor and ends while
 * this looks is met by its successor's number.
 */
function killYounger(pid: number, isMeant: (pid: number) => boolean): number {
  let killed = 0;
  for (let [last, look] = [pid, 0]; look < CHASED_MAX; look += 1) {
    const newest = newestPid();
    if (newest === last) break;
    killed += killEach(pidsBetween(last, newest), isMeant);
    last = newest;
  }
  return killed;
}

/** Kills each that is meant as soon as it is seen, before it can fork again. Answers how many. */
function killEach(pids: readonly number[], isMeant: (pid: number) => boolean): number {
  let killed = 0;
  for (const pid of pids) {
    if (!isMeant(pid) || !isProcess(pid)) continue;
    killOne(pid);
    killed += 1;
  }
  return killed;
}

/** Living members of a group that bear any mark of lockstep: what a check left whose leader ended unseen. Linux only. */
export function markedMembers(group: number): number[] {
  if (!LINUX) return [];
  return livingPids().filter((pid) => readStat(pid)?.process_group === group && bears(pid, `${MARK}=`));
}

/** Kills one process for good; one that is gone already is no error. */
export function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** A zombie answers signals for as long as its parent does not fetch it, so /proc is asked as well. */
function groupLives(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  if (!LINUX) return true;
  return livingPids().some((pid) => {
    const stat = readStat(pid);
    return stat !== null && stat.process_group === group && stat.state !== "Z" && stat.state !== "X";
  });
}

/** The number that the kernel gave last. */
function newestPid(): number {
  return Number(readProc("loadavg").toString("latin1").trim().split(" ").at(-1));
}

function pidsBetween(last: number, newest: number): number[] {
  const given = newest - last;
  if (given > 0 && given <= PROBED_PIDS_MAX) return pidsUpTo(newest, given);
  // A smaller newest id means that the kernel's counter has started over: any process may be the younger one.
  const living = livingPids().filter((pid) => (given > 0 ? pid > last : pid !== last));
  // One that was being born has its number already, and was not yet among the living.
  return [...living, ...pidsUpTo(newest, PROBED_PIDS_MAX)];
}

/** So many numbers up to this one, in ascending order. */
function pidsUpTo(newest: number, count: number): number[] {
  return Array.from({ length: Math.min(count, newest) }, (_, index) => newest - Math.min(count, newest) + 1 + index);
}
