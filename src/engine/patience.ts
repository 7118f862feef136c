/** A store that cannot be used for a while ends no run: agents work on under their runners, and what they leave is settled after. */

import { type StoreFailureCode, StoreUnavailable } from "../ports/store.ts";
import { MachineTrouble } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";

/** Long enough for whoever has to free a disk, and well below the time after which runners take their engine for gone. */
export const TROUBLE_MS_MAX = 3_600_000;

/** Between two tries. */
export const TROUBLE_LOOK_MS = 5_000;

/** What may pass without lockstep's doing. */
const PASSING: ReadonlySet<StoreFailureCode> = new Set(["full", "busy", "io", "read_only"]);

/** The store, or a lock beside it, fails in a way that may pass; or the machine has no more to give for the moment. */
export function isPassing(error: unknown): error is StoreUnavailable | MachineTrouble {
  return error instanceof MachineTrouble || (error instanceof StoreUnavailable && PASSING.has(error.code));
}

/** A watcher looks again soon: its agent has nothing to do with the trouble, and somebody may want it to end. */
const WATCH_AGAIN_MS = 1_000;

/** Does it, and again for as long as what keeps it from being done may pass; null when `over` aborts first. */
export async function oncePassed<T>(
  { clock }: Pick<EngineContext, "clock">,
  over: AbortSignal,
  act: () => Promise<T>,
): Promise<T | null> {
  while (!over.aborted) {
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await clock.sleep(WATCH_AGAIN_MS, over);
    }
  }
  return null;
}
