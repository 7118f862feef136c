import { changeTask } from "../change-task.ts";
import type { CommandRun } from "../command.ts";
import { textOption } from "../read-options.ts";

export const run: CommandRun = (call) => {
  const why = textOption(call, "reason") ?? "cancelled by an operator";
  return changeTask(call, (of) => ({ type: "task.cancel", ...of, why }));
};
