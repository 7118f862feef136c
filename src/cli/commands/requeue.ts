import { changeTask } from "../change-task.ts";
import type { CommandRun } from "../command.ts";
import { textOption } from "../read-options.ts";

export const run: CommandRun = (call) => {
  const why = textOption(call, "reason") ?? "requeued by an operator";
  return changeTask(call, (of) => ({ type: "attempt.stop", ...of, as: "interrupted", why, then: "pending" }));
};
