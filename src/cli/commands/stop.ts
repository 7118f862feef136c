import { asEngine } from "../../compose/engine-lock.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import type { Call, CommandRun } from "../command.ts";
import { textOption } from "../read-options.ts";
import { steerRun } from "../steer-run.ts";

export const run: CommandRun = (call) => {
  const why = textOption(call, "reason") ?? "stopped by an operator";
  return steerRun(call, {
    wish: (plan) => ({ type: "run.stop", plan: plan.id, why }),
    then: (context, plan) => endWithoutEngine(call, context, plan),
  });
};

/** A run whose engine is gone has nobody to end it: whoever gets the engine's lock does. What it left is settled by the next run. */
async function endWithoutEngine({ session }: Call, context: EngineContext, plan: PlanRow): Promise<void> {
  const { store, actor } = context;
  await asEngine(await session.project(), context, plan.id, async () => {
    const run = (await store.summary(plan.id))?.run;
    if (run) await store.submit({ type: "run.end", plan: plan.id, id: run.id, outcome: "stopped" }, { actor });
  });
}
