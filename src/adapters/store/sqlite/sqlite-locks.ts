/** Locks between processes: a SQLite file of its own on which a process holds BEGIN EXCLUSIVE. The kernel frees it at any death. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Locks, Release } from "../../../ports/locks.ts";
import { connect } from "./driver.ts";
import { asUnavailable, isBusy } from "./failures.ts";
import { makeFile } from "./open.ts";

/** Waits between two tries (ms); a lock is held for milliseconds (git) or for hours (an engine). */
const WAIT_MS_MIN = 2;
const WAIT_MS_MAX = 100;

export function sqliteLocks(): Locks {
  return { acquire };
}

async function acquire(file: string, waitMs: number): Promise<Release | null> {
  const until = performance.now() + waitMs;
  for (let wait = WAIT_MS_MIN; ; wait = Math.min(wait * 2, WAIT_MS_MAX)) {
    const release = await tryAcquire(file);
    if (release) return release;
    const left = until - performance.now();
    if (left <= 0) return null;
    await sleep(Math.min(wait * (0.5 + Math.random()), left));
  }
}

/** Null when another holds it. */
async function tryAcquire(file: string): Promise<Release | null> {
  const what = `the lock ${file}`;
  makeFile(file, what);
  try {
    const connection = await connect(file);
    try {
      connection.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      connection.close();
      throw error;
    }
    return once(() => connection.close());
  } catch (error) {
    if (isBusy(error)) return null;
    throw asUnavailable(error, what);
  }
}

/** Letting go twice does nothing. */
function once(release: Release): Release {
  let held = true;
  return () => {
    if (held) release();
    held = false;
  };
}
