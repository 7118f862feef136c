/** Watches whether an attempt whose place is still made ready is wanted on: what prepares it may take long. */

import type { EngineContext } from "./context.ts";
import type { LiveTask } from "./live-task.ts";
import { oncePassed } from "./patience.ts";
import { watchChanges } from "./wait.ts";

/** Most places are ready by then, and watching costs more than they do. */
const FIRST_LOOK_MS = 500;

export interface OpeningWatch {
  /** Aborts when it is not, or with what ends everything. */
  signal: AbortSignal;
  /** Stops watching. Rejects with what kept it from watching. */
  close(): Promise<void>;
}

export function watchOpening(context: EngineContext, live: LiveTask, kill?: AbortSignal): OpeningWatch {
  const [over, unwanted] = [new AbortController(), new AbortController()];
  const changes = watchChanges(context.store, context.clock);
  const watch = async (): Promise<void> => {
    await context.clock.sleep(FIRST_LOOK_MS, over.signal);
    while (!over.signal.aborted && !unwanted.signal.aborted) {
      changes.clear();
      if ((await oncePassed(context, over.signal, () => isWanted(context, live))) === false) unwanted.abort();
      else await changes.wait(Number.POSITIVE_INFINITY, [over.signal]);
    }
  };
  const watching = watch().then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return {
    signal: kill ? AbortSignal.any([unwanted.signal, kill]) : unwanted.signal,
    close: async () => {
      over.abort();
      changes.close();
      const failed = await watching;
      if (failed !== null) throw failed.error;
    },
  };
}

/** Nobody asked for it to end, and its run goes on. */
async function isWanted({ store }: EngineContext, { task: { row }, lease }: LiveTask): Promise<boolean> {
  const found = await store.task(row.plan, row.id);
  if (found?.lease?.token !== lease.token || found.attempt?.stop) return false;
  return (await store.summary(row.plan))?.run?.state === "running";
}
