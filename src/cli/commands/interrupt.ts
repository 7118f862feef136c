import { changeTask } from "../change-task.ts";
import type { CommandRun } from "../command.ts";
import { textOption } from "../read-options.ts";

/** What an agent is told whom nobody has told anything. */
const GO_ON = "Look at what you have done until now, and go on.";

export const run: CommandRun = (call) => {
  const message = textOption(call, "message") ?? GO_ON;
  return changeTask(call, (of) => ({ type: "attempt.interrupt", ...of, message }));
};
