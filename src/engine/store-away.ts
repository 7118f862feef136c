/** A store that cannot be used for a while: what watches a live attempt waits, for its agent has nothing to do with it. */

import { RowUnreadable, StoreUnavailable } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";

/** A busy or full store is soon free again, or stays as it is for long: looking more often would not help it. */
const AGAIN_MS = 1_000;

/** Does it, and again for as long as the store is away; null when `over` aborts first. Throws for anything else. */
export async function onceStoreIsBack<T>(
  { clock }: EngineContext,
  over: AbortSignal,
  act: () => Promise<T>,
): Promise<T | null> {
  while (!over.aborted) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error instanceof RowUnreadable) throw error;
      await clock.sleep(AGAIN_MS, over);
    }
  }
  return null;
}
