import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ProcessIdentity } from "../../ports/processes.ts";
import { killLiving, sweep } from "./group.ts";
import { isNearby } from "./identity.ts";
import { livingPids } from "./proc-files.ts";
import { isGone, readStat, withAncestors } from "./process-stat.ts";

const LINUX = process.platform === "linux";

/** What the kernel adds to the path of a working directory that has been removed. */
const DELETED = " (deleted)";

/**
 * Kills what works inside a directory and was started no earlier than `since`, but nothing that has a terminal or hosts
 * one: that is a person's. Where there is no /proc this does nothing.
 */
export async function killInside(dir: string, since: ProcessIdentity): Promise<void> {
  if (!LINUX || !isNearby(since)) return;
  const real = realPath(dir);
  await sweep(() => killLeft(real, Number(since.start)));
}

/** Answers how many it killed. */
function killLeft(dir: string, since: number): number {
  let spared: Set<number> | undefined;
  return killLiving((pid) => {
    if (!isLeft(pid, dir, since)) return false;
    spared ??= sparedPids();
    return !spared.has(pid);
  });
}

/** This process, all that has a terminal, and what these descend from. */
function sparedPids(): Set<number> {
  const withTerminal = livingPids().filter((pid) => (readStat(pid)?.terminal ?? 0) !== 0);
  return new Set([process.pid, ...withTerminal].flatMap(withAncestors));
}

function isLeft(pid: number, dir: string, since: number): boolean {
  const cwd = workingDirectory(pid);
  if (cwd === null || !(isWithin(cwd, dir) || isWithin(withoutDeleted(cwd), dir))) return false;
  const stat = readStat(pid);
  return stat !== null && stat.state !== "Z" && Number(stat.start) >= since;
}

function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(`${dir}/`);
}

function withoutDeleted(path: string): string {
  return path.endsWith(DELETED) ? path.slice(0, -DELETED.length) : path;
}

/** Null when it is gone, a zombie, or another user's. */
function workingDirectory(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (isGone(error) || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}

/**
 * As the kernel names it: its way there without links. A link in its own place is the attempt's doing, and leads to what is
 * not the attempt's. Where its folder has been removed it has no other name than the given.
 */
function realPath(dir: string): string {
  try {
    return join(realpathSync(dirname(dir)), basename(dir));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return dir;
    throw error;
  }
}
