/** The entry in the environment of all that a check or command starts. */

import { readProc } from "./proc-files.ts";
import { readStat } from "./process-stat.ts";

/** The variable that everything a check or command starts inherits; nested marks are joined with a colon. */
export const MARK = "LOCKSTEP_CHECK";

const NONE = Buffer.alloc(0);

/** A process that becomes another program seems to have no environment for a moment. */
const EXEC_MS_MAX = 0.5;

/** The parent of the kernel's own threads. */
const KERNEL = 2;

/** The marks in a process's environment, the outermost first, or null. Linux only. */
export function marksIn(pid: number): string | null {
  const entry = environ(pid)
    .toString("latin1")
    .split("\0")
    .find((line) => line.startsWith(`${MARK}=`));
  return entry?.slice(MARK.length + 1) ?? null;
}

/** True when the process has this entry (`NAME=value`) in its environment. */
export function hasEntry(pid: number, entry: string): boolean {
  return environ(pid).toString("utf8").split("\0").includes(entry);
}

/** True when a process other than this one has the text somewhere in its environment. */
export function bears(pid: number, text: string): boolean {
  return pid !== process.pid && environ(pid).includes(text);
}

/** The environment that a process was started with; empty when it is gone, a zombie, or another user's. */
function environ(pid: number): Buffer {
  const deadline = performance.now() + EXEC_MS_MAX;
  for (;;) {
    const read = readEnviron(pid);
    if (read === null || read.length > 0 || performance.now() >= deadline || hasNone(pid)) return read ?? NONE;
  }
}

/** Null when it is gone, or another user's. */
function readEnviron(pid: number): Buffer | null {
  try {
    return readProc(`${pid}/environ`);
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

/** A zombie, or a thread of the kernel's. */
function hasNone(pid: number): boolean {
  const stat = readStat(pid);
  return stat === null || stat.state === "Z" || stat.parent === KERNEL || pid === KERNEL;
}
