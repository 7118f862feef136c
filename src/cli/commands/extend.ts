import { changeTask } from "../change-task.ts";
import type { CommandRun } from "../command.ts";
import { usageFailure } from "../failure.ts";
import { durationOption } from "../read-options.ts";

export const run: CommandRun = (call) => {
  const ms = durationOption(call, "by", 0);
  if (ms === 0) throw usageFailure("extend needs --by DURATION", "For example: `lockstep extend F-001 --by 30m`.");
  return changeTask(call, (of) => ({ type: "attempt.extend", ...of, ms }));
};
