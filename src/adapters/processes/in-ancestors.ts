import { readProc } from "./proc-files.ts";
import { isGone, withAncestors } from "./process-stat.ts";

/**
 * What a variable was for the processes that this one descends from, nearest first: whoever clears its own environment
 * still has them. Linux only: elsewhere none is known.
 */
export function inAncestors(name: string): string[] {
  if (process.platform !== "linux") return [];
  return withAncestors(process.ppid).flatMap((pid) => valueIn(pid, `${name}=`));
}

function valueIn(pid: number, beginning: string): string[] {
  try {
    const entries = readProc(`${pid}/environ`).toString("utf8").split("\0");
    return entries.filter((entry) => entry.startsWith(beginning)).map((entry) => entry.slice(beginning.length));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another user's processes are no attempt's of ours.
    if (isGone(error) || code === "EACCES" || code === "EPERM") return [];
    throw error;
  }
}
