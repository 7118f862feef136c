import type { CommandRun } from "../command.ts";
import { steerRun } from "../steer-run.ts";

export const run: CommandRun = (call) => steerRun(call, { wish: (plan) => ({ type: "run.pause", plan: plan.id }) });
