import type { Reason } from "../../core/schedule/explain.ts";
import { explainTask } from "../../engine/why.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { stateText } from "../state-words.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async ({ args, session, terminal }) => {
  const { record } = await session.task(args[0]!);
  const explanation = await explainTask(await session.context(), record);
  const { id, state, reason, reasons } = explanation;
  if (terminal.json) terminal.printJson({ id, state, reason, reasons });
  else {
    terminal.print(`${terminal.style("bold", id)}  ${stateText(terminal, state)}`);
    for (const each of reasons.length > 0 ? reasons : [reason]) terminal.print(`  ${reasonLine(terminal, each)}`);
  }
  return EXIT.ok;
};

function reasonLine(terminal: Terminal, { code, text, until }: Reason): string {
  const when = until === null ? "" : ` (until ${terminal.time(until)})`;
  return `${code}: ${text}${when}`;
}
