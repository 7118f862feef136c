import { copyFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

/**
 * Copies the index of a worktree to a file: what is known there of files spares hashing them all. False where there is none,
 * or where an agent has just taken it.
 */
export function copyIndex(gitDir: string, to: string): boolean {
  const real = join(gitDir, "index");
  const stat = statSync(real, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  copyFileSync(real, to);
  // Git looks again at files that are not older than the index. A copy must not look younger than its original.
  const seconds = Math.floor(stat.mtimeMs / 1_000);
  utimesSync(to, seconds, seconds);
  return true;
}
