import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { listOption, textOption } from "../read-options.ts";
import { tellRunner } from "../tell-runner.ts";

export const run: CommandRun = async (call) => {
  const answer = await tellRunner(call, "/done", {
    summary: call.args[0],
    files: listOption(call, "file"),
    not_done: listOption(call, "not-done"),
    verdict: textOption(call, "verdict"),
    handoff: textOption(call, "handoff"),
  });
  if (call.terminal.json) call.terminal.printJson(answer);
  return EXIT.ok;
};
