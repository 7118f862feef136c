/** What a spool holds for whoever did not start its runner. */

import { mkdirSync } from "node:fs";
import type { Processes } from "../../ports/processes.ts";
import { type AttemptName, type LiveRunner, SPOOL_PROTOCOL } from "../../ports/runner.ts";
import { endedRunner } from "./ended-runner.ts";
import { followSpool, type SpoolPorts } from "./follow-spool.ts";
import { isOutOfReach } from "./read-file.ts";
import { type SpoolFiles, spoolAt, writeFirst } from "./spool-files.ts";
import { readOwner } from "./spool-owner.ts";
import { lostBecause, type SpoolStatus, spoolStatus } from "./spool-status.ts";
import type { OwnerWords } from "./spool-words.ts";

/** The runner of an attempt that an earlier engine started; see `Runners.adopt`. */
export function adoptRunner(stateDir: string, attempt: AttemptName, ports: SpoolPorts): LiveRunner | null {
  const files = spoolAt(stateDir, attempt);
  const owner = readOwner(files);
  if (owner.is === "unreadable" && owner.passing) throw new Error(`${files.runner} cannot be read: ${owner.why}`);
  if (owner.is === "nobody") {
    const problem = giveUp(files);
    if (problem !== null) return endedRunner(lostBecause(`its spool cannot be used: ${problem}`));
  }
  return readOwner(files).is === "given_up" ? null : followSpool(files, ports);
}

/**
 * Whoever makes this file first has the attempt: a runner that is only starting now finds it given up, and ends. Answers why
 * that cannot be said to it.
 */
function giveUp(files: SpoolFiles): string | null {
  const words: OwnerWords = { protocol: SPOOL_PROTOCOL, runner: null };
  try {
    mkdirSync(files.dir, { recursive: true, mode: 0o700 });
    writeFirst(files.runner, JSON.stringify(words));
    return null;
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    return (error as Error).message;
  }
}

/** How an attempt of this machine stands, as its spool says. */
export function attemptStatus(
  stateDir: string,
  attempt: AttemptName,
  processes: Pick<Processes, "alive">,
): SpoolStatus {
  const files = spoolAt(stateDir, attempt);
  const owner = readOwner(files);
  return spoolStatus(files, owner, owner.is === "runner" && processes.alive(owner.runner));
}
