import { answerAll } from "../../engine/answer.ts";
import { cascadeFailures } from "../../engine/sweep.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { refused } from "../failure.ts";
import { textOption } from "../read-options.ts";
import { stateText } from "../state-words.ts";

export const run: CommandRun = async (call) => {
  const { args, session, terminal } = call;
  const [item, option] = args as [string, string];
  const plan = await session.plan();
  const context = await session.context();
  const { store } = context;
  const answer = await answerAll(context, { plan: plan.id, item, option, text: textOption(call, "message") });
  if (!answer.ok) throw refused(answer.rejection);
  await cascadeFailures(context, plan.id);
  const tasks = [...new Set(answer.events.flatMap(({ task }) => task ?? []))];
  const rows = (await Promise.all(tasks.map((task) => store.task(plan.id, task)))).flatMap(
    (record) => record?.row ?? [],
  );
  const { id: task = null, state = null } = rows[0] ?? {};
  if (terminal.json) terminal.printJson({ item, option, task, state, tasks });
  else if (state === null) terminal.print(`${item}: ${option}`);
  else for (const row of rows) terminal.print(`${row.id}  ${stateText(terminal, row.state)}`);
  return EXIT.ok;
};
