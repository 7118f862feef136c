import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isGone, readStat } from "./identity.ts";

/** The variable that everything a check or command starts inherits; nested marks are joined with a colon. */
export const MARK = "LOCKSTEP_CHECK";

const LINUX = process.platform === "linux";

/** A killed process is gone within microseconds unless the kernel holds it in a device call: then nobody can help. */
const GONE_WAIT_MS = 2_000;
const GONE_POLL_MS = 5;

/** A process can fork between being found and being killed; whoever outruns so many rounds is a fork bomb. */
const SWEEP_ROUNDS = 20;

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
  for (let round = 0; round < SWEEP_ROUNDS; round += 1) {
    const found = youngerPids(leader).filter((pid) => bears(pid, mark));
    if (found.length === 0) return;
    for (const pid of found) killOne(pid);
    await sleep(GONE_POLL_MS);
  }
}

/** Kills every process that has this entry in its environment. Where there is no /proc this does nothing. */
export async function killBearers(entry: string): Promise<void> {
  for (let round = 0; LINUX && round < SWEEP_ROUNDS; round += 1) {
    const found = livingPids().filter((pid) => pid !== process.pid && hasEntry(pid, entry));
    if (found.length === 0) return;
    for (const pid of found) killOne(pid);
    await sleep(GONE_POLL_MS);
  }
}

/** Living members of a group that bear any mark of lockstep: what a check left whose leader ended unseen. Linux only. */
export function markedMembers(group: number): number[] {
  if (!LINUX) return [];
  return livingPids().filter((pid) => readStat(pid)?.process_group === group && bears(pid, `${MARK}=`));
}

/** The innermost mark in a process's environment, or null. */
export function markOf(pid: number): string | null {
  if (!LINUX) return null;
  const entry = environ(pid)
    .toString("latin1")
    .split("\0")
    .find((line) => line.startsWith(`${MARK}=`));
  return (
    entry
      ?.slice(MARK.length + 1)
      .split(":")
      .at(-1) ?? null
  );
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

function youngerPids(leader: number): number[] {
  if (!LINUX) return [];
  const newest = Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
  if (newest === leader) return [];
  const given = newest - leader;
  if (given > 0 && given <= PROBED_PIDS_MAX) return Array.from({ length: given }, (_, index) => leader + 1 + index);
  // A smaller newest id means that the kernel's counter has started over: any process may be the younger one.
  return livingPids().filter((pid) => (given > 0 ? pid > leader : pid !== leader));
}

function livingPids(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function hasEntry(pid: number, entry: string): boolean {
  return environ(pid).toString("utf8").split("\0").includes(entry);
}

function bears(pid: number, text: string): boolean {
  return pid !== process.pid && environ(pid).includes(text);
}

/** The environment that a process was started with; empty when it is gone, a zombie, or another user's. */
function environ(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (isGone(error) || code === "EACCES" || code === "EPERM") return Buffer.alloc(0);
    throw error;
  }
}
