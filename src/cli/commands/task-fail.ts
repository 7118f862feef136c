import { taskFail } from "../../engine/external.ts";
import { cascadeFailures } from "../../engine/sweep.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { refused } from "../failure.ts";
import { requiredToken, textOption } from "../read-options.ts";
import { stateText } from "../state-words.ts";

export const run: CommandRun = async (call) => {
  const { args, session, terminal } = call;
  const token = requiredToken(call);
  const error = textOption(call, "error") ?? "its worker gave up and did not say why";
  const { plan, record } = await session.task(args[0]!);
  const context = await session.context();
  const answer = await taskFail(context, { plan, task: record.row.id, token, error });
  if (!answer.ok) throw refused(answer.rejection);
  await cascadeFailures(context, plan.id);
  const { row, definition } = (await context.store.task(plan.id, record.row.id))!;
  if (terminal.json) terminal.printJson({ task: row.id, state: row.state, tries: row.tries, due_at: row.due_at });
  else {
    const again =
      row.state === "pending"
        ? `, ${row.tries} of ${definition.tries} tries used${row.due_at === null ? "" : `, due ${terminal.time(row.due_at)}`}`
        : "";
    terminal.print(`${row.id}  ${stateText(terminal, row.state)}${again}`);
  }
  return EXIT.ok;
};
