import { readProc } from "./proc-files.ts";

/** No process has more ancestors than this; a longer chain is one that changes while it is read. */
const ANCESTORS_MAX = 1_000;

/** `/proc/<pid>/stat` in the fields that matter here. */
interface ProcessStat {
  /** One letter of the kernel: Z and X are dead. */
  state: string;
  parent: number;
  process_group: number;
  /** The number of its controlling terminal; 0 for none. */
  terminal: number;
  /** Ticks of the kernel's clock since boot. */
  start: string;
}

/** What the kernel says of a process, or null when it is gone. Linux only. */
export function readStat(pid: number): ProcessStat | null {
  try {
    return parseStat(readProc(`${pid}/stat`).toString("latin1"));
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** False for the number of a thread, which looks like one and, killed, takes its whole process with it. Linux only. */
export function isProcess(pid: number): boolean {
  try {
    return /^Tgid:\s+(\d+)$/m.exec(readProc(`${pid}/status`).toString("latin1"))?.[1] === String(pid);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Parses a line of `/proc/<pid>/stat`; the command's name may itself hold spaces, parentheses and line breaks. */
export function parseStat(line: string): ProcessStat {
  // The name is the second field, in parentheses; everything behind its last one is plain.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return {
    state: fields[0] ?? "X",
    parent: Number(fields[1]),
    process_group: Number(fields[2]),
    terminal: Number(fields[4]),
    start: fields[19] ?? "",
  };
}

/** The ids of a process and of all that it descends from. Linux only. */
export function withAncestors(process: number): number[] {
  const found: number[] = [];
  for (let pid = process; pid > 0 && found.length < ANCESTORS_MAX; pid = readStat(pid)?.parent ?? 0) found.push(pid);
  return found;
}

/** True for what the file system or `kill` say of a process that has just gone. */
export function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ESRCH";
}
