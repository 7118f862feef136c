import { inAncestors } from "../adapters/processes/in-ancestors.ts";
import { planOfMark } from "../core/attempt/marks.ts";
import type { Store } from "../ports/store.ts";

/**
 * True when this process descends from an attempt of one of this store's plans, though it may have cleared its
 * environment. An agent of another store that works on lockstep itself, or with it, is none of this one's business.
 */
export async function isInsideAttempt(store: Store): Promise<boolean> {
  const plans = new Set(inAncestors("LOCKSTEP_ATTEMPT").map(planOfMark));
  for (const plan of plans) if ((await store.plan(plan)) !== null) return true;
  return false;
}
