import type { CommandRun } from "../command.ts";
import { steerRun } from "../steer-run.ts";

/** The run's limit on attempts stays as it was. */
export const run: CommandRun = (call) =>
  steerRun(call, {
    wish: (plan, live) => ({ type: "run.resume", plan: plan.id, tasks_max: live?.tasks_max ?? null }),
  });
