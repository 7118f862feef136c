import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { tellRunner } from "../tell-runner.ts";

export const run: CommandRun = async (call) => {
  const answer = await tellRunner(call, "/done", { text: call.args[0] });
  if (call.terminal.json) call.terminal.printJson(answer);
  return EXIT.ok;
};
