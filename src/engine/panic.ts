/** Stops everything of every run in the store: dispatch first, then what is alive. */

import type { RunRow } from "../core/task/rows.ts";
import type { Store } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";

export interface Panicked {
  runs: RunRow[];
  /** Attempts that were live then. */
  attempts: LiveAttempt[];
}

export interface LiveAttempt {
  plan: string;
  task: string;
  n: number;
}

/** Whoever attends an attempt kills its agent at once; its task is pending then, and waits for `run.resume`. */
export async function panic(store: Store, actor: string, why: string): Promise<Panicked> {
  const runs = await store.liveRuns();
  for (const { plan } of runs) await store.submit({ type: "run.pause", plan, panic: why }, { actor });
  const attempts: LiveAttempt[] = [];
  for (const { plan } of runs) attempts.push(...(await killAttempts(store, actor, plan, why)));
  return { runs, attempts };
}

async function killAttempts(store: Store, actor: string, plan: string, why: string): Promise<LiveAttempt[]> {
  const killed: LiveAttempt[] = [];
  // Nothing of a paused run starts, and workers outside lockstep are settled at once: each page is new.
  for (let page = await live(store, plan); page.length > 0; page = await live(store, plan))
    for (const { task, n } of page) {
      const stop = { as: "cancelled", why, then: "pending", at_once: true } as const;
      await store.submit({ type: "attempt.stop", plan, task, ...stop }, { actor });
      killed.push({ plan, task, n });
    }
  return killed;
}

async function live(store: Store, plan: string): Promise<LiveAttempt[]> {
  const active = await store.active(plan, PAGE);
  return active
    .filter(({ row, attempt }) => row.state === "in_progress" && attempt?.stop?.at_once !== true)
    .map(({ row }) => ({ plan, task: row.id, n: row.attempts }));
}

/** Of these attempts, the ones that have not been settled yet. */
export async function stillLive(store: Store, attempts: readonly LiveAttempt[]): Promise<LiveAttempt[]> {
  const found: LiveAttempt[] = [];
  for (const attempt of attempts) {
    const record = await store.task(attempt.plan, attempt.task);
    if (record?.row.state === "in_progress" && record.row.attempts === attempt.n) found.push(attempt);
  }
  return found;
}
