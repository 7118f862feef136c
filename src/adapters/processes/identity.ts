import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "../../ports/processes.ts";
import { marksIn } from "./mark.ts";
import { livingPids } from "./proc-files.ts";
import { readStat } from "./process-stat.ts";

const PROC = process.platform === "linux";

/** The identity of a process of this machine, or null when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | null {
  const start = startOf(pid);
  return start === null ? null : { node: hostname(), boot: bootId(), pid, start };
}

/**
 * True only when this very process lives on this node in this boot. One of another pid namespace has no number that can
 * be looked up from here: it lives as long as its namespace does, and what holds ours is believed to live.
 */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.node !== hostname()) return false;
  if (identity.boot === bootId()) return startOf(identity.pid) === identity.start;
  const [machine, marks = ""] = identity.boot.split(NAMESPACE);
  const [ownMachine, ownMarks = ""] = bootId().split(NAMESPACE);
  if (machine !== ownMachine) return false;
  return (
    `${ownMarks}:`.startsWith(marks === "" ? "" : `${marks}:`) || livingPids().some((pid) => marksIn(pid) === marks)
  );
}

/** True when the process is numbered as this one's are: only then can it be signalled by its number. */
export function isNearby(identity: ProcessIdentity): boolean {
  return identity.node === hostname() && identity.boot === bootId();
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

/** Between the machine's own id and the marks of the pid namespace: whoever is in one has numbers of its own. */
const NAMESPACE = "/";

let boot: string | undefined;

function bootId(): string {
  boot ??= PROC ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() + namespaceMarks() : macBoot();
  return boot;
}

/** The first process of a namespace that lockstep made bears its marks; that of any other bears none. */
function namespaceMarks(): string {
  const marks = marksIn(1);
  return marks === null ? "" : NAMESPACE + marks;
}

function macBoot(): string {
  return spawnSync("sysctl", ["-n", "kern.boottime"], { encoding: "utf8" }).stdout.trim();
}
