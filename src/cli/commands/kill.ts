import { changeTask } from "../change-task.ts";
import type { CommandRun } from "../command.ts";
import { isGiven, textOption } from "../read-options.ts";

export const run: CommandRun = (call) => {
  const why = textOption(call, "reason") ?? "killed by an operator";
  const at_once = isGiven(call, "at-once");
  return changeTask(call, (of) => ({ type: "attempt.stop", ...of, as: "cancelled", why, then: null, at_once }));
};
