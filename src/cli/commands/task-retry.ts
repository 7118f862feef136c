import { changeTask } from "../change-task.ts";
import type { CommandRun } from "../command.ts";
import { isGiven } from "../read-options.ts";

export const run: CommandRun = (call) => {
  const fresh = isGiven(call, "fresh");
  return changeTask(call, (of) => ({ type: "task.retry", ...of, fresh }));
};
