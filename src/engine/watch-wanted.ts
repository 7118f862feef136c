/** What takes long may be unwanted before it is done: somebody ends the task, or its run. */

import { type Beside, beside } from "./beside.ts";
import type { EngineContext } from "./context.ts";
import { oncePassed } from "./patience.ts";
import { watchChanges } from "./wait.ts";

/** Most of it is done by then, and watching costs more than it does. */
const FIRST_LOOK_MS = 500;

export interface WantedWatch extends Beside {
  /** Aborts when it is no longer wanted, or with `stop`. */
  signal: AbortSignal;
}

/** Asks `isWanted` after each change of the store. */
export function watchWanted(context: EngineContext, isWanted: () => Promise<boolean>, stop?: AbortSignal): WantedWatch {
  const unwanted = new AbortController();
  const watch = beside(async (over) => {
    await context.clock.sleep(FIRST_LOOK_MS, over);
    if (over.aborted) return;
    const changes = watchChanges(context.store, context.clock);
    try {
      while (!over.aborted && !unwanted.signal.aborted) {
        changes.clear();
        if ((await oncePassed(context, over, isWanted)) === false) unwanted.abort();
        else await changes.wait(Number.POSITIVE_INFINITY, [over]);
      }
    } finally {
      changes.close();
    }
  });
  return { ...watch, signal: stop ? AbortSignal.any([unwanted.signal, stop]) : unwanted.signal };
}
