import type { PlanRow } from "../core/task/rows.ts";
import { planNamed } from "./choose-plan.ts";
import type { Call } from "./command.ts";

/** The plan of the first argument; without one, the plan that every command means. */
export async function namedPlan({ args, session }: Call): Promise<PlanRow> {
  if (args[0] === undefined) return session.plan();
  const { store, id } = await session.project();
  return planNamed(await store.plans(id), args[0]);
}
