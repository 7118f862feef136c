import { addressedAttempt, noOutput, showOutput, standingOf } from "../addressed-attempt.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { isGiven } from "../read-options.ts";

export const run: CommandRun = async (call) => {
  const shown = await addressedAttempt(call);
  const isLive = async (): Promise<boolean> => isGiven(call, "follow") && (await shown.now()).state !== "settled";
  if (!(await showOutput(call, shown, isLive))) throw noOutput(shown);
  call.terminal.note(standingOf(shown, await shown.now()));
  return EXIT.ok;
};
