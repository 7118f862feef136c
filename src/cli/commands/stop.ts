import { asEngine } from "../../compose/engine-lock.ts";
import { livingEngines } from "../../compose/engines.ts";
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

/** An engine that comes or goes holds its lock for so short a time; beyond it, it has heard of the stop. */
const LOCK_WAIT_MS = 2_000;
const LOCK_PAUSE_MS = 50;

/** Whoever lets go of the engine's lock ends the runs that are to stop and that nobody carries: so this takes it. */
async function endWithoutEngine({ session }: Call, context: EngineContext, plan: PlanRow): Promise<void> {
  const { store, clock, project } = context;
  const opened = await session.project();
  for (const until = clock.now() + LOCK_WAIT_MS; clock.now() < until; await clock.sleep(LOCK_PAUSE_MS)) {
    const taken = await asEngine(opened, context, plan.id, async () => null);
    if (taken === null || (await livingEngines(store, project.id)).length > 0) return;
  }
}
