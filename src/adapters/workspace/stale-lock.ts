import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { basename, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isGone } from "./file-entry.ts";

/** A git holds a lock for the moment of writing a file; an older one is of a git that was killed. */
const STALE_LOCK_MS = 10_000;

/** What git says of a lock that is in its way. */
const IN_THE_WAY = /Unable to create '(.+\.lock)': File exists/;

/** A git writes most files in less, and one that died only just is not known to be dead before. */
const YOUNG_LOCK_MS = 2_000;
const LOCK_LOOK_MS = 50;

/** Removes a lock file of git that nobody can hold any more. */
export function dropStaleLock(lock: string): void {
  const stat = lstatSync(lock, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > STALE_LOCK_MS) rmSync(lock, { force: true });
}

/**
 * True when the lock that kept a git from its work in `dir`, by its own words, is gone: its holder let it go, or was
 * killed, and then it is removed. False when it is somebody's still, or when it was no lock that hindered.
 */
export async function isLockFreed(words: string, dir: string): Promise<boolean> {
  const lock = IN_THE_WAY.exec(words)?.[1];
  for (let waited = 0; lock !== undefined && waited <= YOUNG_LOCK_MS; waited += LOCK_LOOK_MS) {
    const stat = lstatSync(lock, { throwIfNoEntry: false });
    if (stat === undefined) return true;
    if (Date.now() - stat.mtimeMs > YOUNG_LOCK_MS) {
      // An editor may be open on it: nobody waits for that.
      if (mayBeHeld(lock, dir)) return false;
      rmSync(lock, { force: true });
      return true;
    }
    await sleep(LOCK_LOOK_MS);
  }
  return false;
}

/** The lock of a ref is held for a moment only, that of an index for as long as its git lives, which works in that place. */
function mayBeHeld(lock: string, dir: string): boolean {
  if (process.platform !== "linux") return basename(lock) === "index.lock";
  const top = realpathSync(dir);
  return readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && isGitIn(pid, top));
}

function isGitIn(pid: string, top: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("git")) return false;
    return `${readlinkSync(`/proc/${pid}/cwd`)}${sep}`.startsWith(`${top}${sep}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isGone(error) || code === "ESRCH" || code === "EACCES" || code === "EPERM") return false;
    throw error;
  }
}
