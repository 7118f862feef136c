/** An operator may ask for a live attempt to end: the store says so, and whoever runs the attempt ends it. */

import type { Claimed } from "./claim.ts";
import type { EngineContext } from "./context.ts";
import { watchChanges } from "./wait.ts";

export interface StopRequest {
  /** Aborts when the attempt is asked to end, or is no longer the task's live one. */
  signal: AbortSignal;
  /** Stops watching. Rejects with what kept it from watching. */
  close(): Promise<void>;
}

export function watchForStop({ store, clock }: EngineContext, { task: { row }, lease }: Claimed): StopRequest {
  const asked = new AbortController();
  const over = new AbortController();
  const changes = watchChanges(store, clock);
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted && !asked.signal.aborted) {
      changes.clear();
      const found = await store.task(row.plan, row.id);
      if (found?.lease?.token !== lease.token || found.attempt?.stop) asked.abort();
      else await changes.wait(Number.POSITIVE_INFINITY, [over.signal]);
    }
  };
  // Kept until the attempt is settled: a failure to watch must not cut it off.
  const watching = watch().then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return {
    signal: asked.signal,
    close: async () => {
      over.abort();
      changes.close();
      const failed = await watching;
      if (failed !== null) throw failed.error;
    },
  };
}
