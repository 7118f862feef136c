/** A store that cannot be used for a while ends no run: agents work on under their runners, and what they leave is settled after. */

import { type StoreFailureCode, StoreUnavailable } from "../ports/store.ts";
import { MachineTrouble } from "../ports/workspace.ts";

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
