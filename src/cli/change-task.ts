/** What an operator does to one task: submitted, passed on to its dependants, and told. */

import type { RowCommand } from "../core/task/commands.ts";
import { cascadeFailures } from "../engine/sweep.ts";
import type { Call } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { refused } from "./failure.ts";
import { marksOf, stateText } from "./state-words.ts";
import { endWithoutEngine } from "./without-engine.ts";

/** What somebody has to carry out on a live agent. */
const FOR_AN_AGENT: ReadonlySet<string> = new Set(["attempt.stopping", "attempt.interrupted", "attempt.extended"]);

/** `wish` makes the command for the addressed task. What it wants of an agent is done though no engine is there. */
export async function changeTask(
  call: Call,
  wish: (of: { plan: string; task: string }) => RowCommand,
): Promise<number> {
  const { args, session, terminal } = call;
  const { plan, record } = await session.task(args[0]!);
  const context = await session.context();
  const { store, actor } = context;
  const answer = await store.submit(wish({ plan: plan.id, task: record.row.id }), { actor });
  if (!answer.ok) throw refused(answer.rejection);
  // Its check may still run, of an engine that died.
  const isChecked = record.row.state === "claimed_done";
  if (isChecked || answer.events.some(({ type }) => FOR_AN_AGENT.has(type)))
    await endWithoutEngine(await session.project(), plan.id);
  await cascadeFailures(context, plan.id);
  const { row, attempt } = (await store.task(plan.id, record.row.id))!;
  const stopping = row.state === "in_progress" && attempt?.stop ? attempt.stop : null;
  if (terminal.json) terminal.printJson({ task: row.id, state: row.state, stopping: stopping !== null });
  else
    terminal.print(
      `${row.id}  ${stateText(terminal, row.state)}${marksOf(row)}${stopping ? `, stopping: then ${stopping.then ?? "as it ends"}` : ""}`,
    );
  return EXIT.ok;
}
