/** Stops everything of every run in the store: dispatch first, then what is alive. */

import { attemptMark, entryOf } from "../core/attempt/marks.ts";
import type { RunRow } from "../core/task/rows.ts";
import type { Store } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";

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
  const killed = new Map<string, LiveAttempt>();
  const stop = { as: "cancelled", why, then: "pending", at_once: true } as const;
  // Nothing of a paused run starts, and workers outside lockstep are settled at once: each page has fewer that are not told.
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { row, attempt } of (await store.active(plan, PAGE)).filter(({ row }) => row.state === "in_progress")) {
      const isTold = attempt?.stop?.at_once === true;
      if (!isTold) await store.submit({ type: "attempt.stop", plan, task: row.id, ...stop }, { actor });
      isNew ||= !isTold;
      killed.set(row.id, { plan, task: row.id, n: row.attempts });
    }
  }
  return [...killed.values()];
}

/**
 * Ends the agents of attempts whose engine, or whose runner, does not hear: by their marks, and the runners by what is
 * known of them. Whoever attends them settles them once it hears again.
 */
export async function killUnheard(
  { store, processes }: Pick<EngineContext, "store" | "processes">,
  attempts: readonly LiveAttempt[],
): Promise<void> {
  for (const { plan, task, n } of attempts) {
    const runner = (await store.attempts(plan, task)).find((attempt) => attempt.n === n)?.process ?? null;
    await processes.killBearers(entryOf(attemptMark({ plan, task, attempt: n })));
    if (runner !== null) await processes.kill(runner);
  }
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
