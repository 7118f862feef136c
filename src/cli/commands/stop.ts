import type { CommandRun } from "../command.ts";
import { textOption } from "../read-options.ts";
import { steerRun } from "../steer-run.ts";
import { endWithoutEngine } from "../without-engine.ts";

export const run: CommandRun = (call) => {
  const why = textOption(call, "reason") ?? "stopped by an operator";
  return steerRun(call, {
    wish: (plan) => ({ type: "run.stop", plan: plan.id, why }),
    then: async (_, plan) => endWithoutEngine(await call.session.project(), plan.id),
  });
};
