import { changeTask } from "../change-task.ts";
import type { CommandRun } from "../command.ts";
import { isGiven, textOption } from "../read-options.ts";

export const run: CommandRun = (call) => {
  const satisfies = isGiven(call, "satisfies");
  const without_work = isGiven(call, "without-work");
  const why = textOption(call, "reason") ?? "skipped by an operator";
  return changeTask(call, (of) => ({ type: "task.skip", ...of, satisfies, without_work, why }));
};
