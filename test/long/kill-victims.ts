/** Processes that the engines of a lab started, by what they are; nobody else's is ever found. */

import { readdirSync } from "node:fs";
import { readProc } from "../fixtures/left-processes.ts";

export const KINDS = ["engine", "runner", "agent", "check", "git"] as const;
export type Kind = (typeof KINDS)[number];

/** `engine` is the one that lives now. Linux only. */
export function victimsOf(kind: Kind, mark: string, engine: number): number[] {
  if (kind === "engine") return [engine];
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && Number(pid) !== engine)
    .filter((pid) => kind !== "git" || readProc(pid, "comm") === "git\n")
    .filter((pid) => kindOf(pid, mark) === kind)
    .map(Number);
}

function kindOf(pid: string, mark: string): Kind | null {
  const environment = readProc(pid, "environ").split("\0");
  if (!environment.includes(`LAB_MARK=${mark}`)) return null;
  if (readProc(pid, "cmdline").includes("runner.cjs")) return "runner";
  if (environment.some((entry) => entry.startsWith("LOCKSTEP_CHECKED="))) return "check";
  if (environment.some((entry) => entry.startsWith("LOCKSTEP_ATTEMPT="))) return "agent";
  return readProc(pid, "comm") === "git\n" ? "git" : null;
}

/** True when it was there to be killed. */
export function killNow(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}
