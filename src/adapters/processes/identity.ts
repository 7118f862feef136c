import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "../../ports/processes.ts";

const PROC = process.platform === "linux";

/** `/proc/<pid>/stat` in the fields that matter here. */
interface ProcessStat {
  /** One letter of the kernel: Z and X are dead. */
  state: string;
  process_group: number;
  /** Ticks of the kernel's clock since boot. */
  start: string;
}

/** The identity of a process of this machine, or null when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | null {
  const start = startOf(pid);
  return start === null ? null : { node: hostname(), boot: bootId(), pid, start };
}

/** True only when this very process lives on this node in this boot. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.node !== hostname() || identity.boot !== bootId()) return false;
  return startOf(identity.pid) === identity.start;
}

/** What the kernel says of a process, or null when it is gone. Linux only. */
export function readStat(pid: number): ProcessStat | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Parses a line of `/proc/<pid>/stat`; the command's name may itself hold spaces, parentheses and line breaks. */
export function parseStat(line: string): ProcessStat {
  // The name is the second field, in parentheses; everything behind its last one is plain.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "X", process_group: Number(fields[2]), start: fields[19] ?? "" };
}

/** True for what the file system or `kill` say of a process that has just gone. */
export function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ESRCH";
}

function startOf(pid: number): string | null {
  if (!PROC) return startFromPs(pid);
  const stat = readStat(pid);
  return stat === null || stat.state === "Z" || stat.state === "X" ? null : stat.start;
}

/** Where there is no /proc (macOS) `ps` is the only source: some milliseconds a call. */
function startFromPs(pid: number): string | null {
  const listed = spawnSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" });
  const [, state, start] = /^(\S+)\s+(.+)$/.exec((listed.stdout ?? "").trim()) ?? [];
  return state === undefined || start === undefined || state.startsWith("Z") ? null : start;
}

let boot: string | undefined;

function bootId(): string {
  boot ??= PROC
    ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    : spawnSync("sysctl", ["-n", "kern.boottime"], { encoding: "utf8" }).stdout.trim();
  return boot;
}
