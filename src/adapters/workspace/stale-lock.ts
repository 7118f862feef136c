import { lstatSync, rmSync } from "node:fs";

/** A git holds a lock for the moment of writing a file; an older one is of a git that was killed. */
const STALE_LOCK_MS = 10_000;

/** Removes a lock file of git that nobody can hold any more. */
export function dropStaleLock(lock: string): void {
  const stat = lstatSync(lock, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > STALE_LOCK_MS) rmSync(lock, { force: true });
}
