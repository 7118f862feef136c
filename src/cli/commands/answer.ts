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
  const { store, actor } = context;
  const answer = await store.submit(
    { type: "item.answer", plan: plan.id, item, option, text: textOption(call, "message") },
    { actor },
  );
  if (!answer.ok) throw refused(answer.rejection);
  await cascadeFailures(context, plan.id);
  const about = answer.events.find(({ task }) => task !== null)?.task ?? null;
  const record = about === null ? null : await store.task(plan.id, about);
  const state = record?.row.state ?? null;
  if (terminal.json) terminal.printJson({ item, option, task: about, state });
  else terminal.print(state === null ? `${item}: ${option}` : `${about}  ${stateText(terminal, state)}`);
  return EXIT.ok;
};
