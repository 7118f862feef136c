import { invariant } from "../core/assert.ts";
import type { PlanSummary } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";

/** How a plan stands that is known to have a row. */
export async function summaryOf({ store }: EngineContext, plan: string): Promise<PlanSummary> {
  const summary = await store.summary(plan);
  invariant(summary, `plan ${plan} has no row`);
  return summary;
}
