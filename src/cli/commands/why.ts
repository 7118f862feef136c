import { careIn } from "../../compose/care.ts";
import type { Care } from "../../core/schedule/care.ts";
import type { Reason } from "../../core/schedule/explain.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { landingTarget } from "../../engine/landing-target.ts";
import { explainTask } from "../../engine/why.ts";
import type { TaskRecord } from "../../ports/store.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { shellWord } from "../shell-word.ts";
import { stateText } from "../state-words.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async ({ args, session, terminal }) => {
  const { plan, record } = await session.task(args[0]!);
  const context = await session.context();
  const explanation = await explainTask(context, record, await careOfTask(context, plan, record));
  const { id, state, reason, reasons } = explanation;
  if (terminal.json) terminal.printJson({ id, state, reason, reasons });
  else {
    terminal.print(`${terminal.style("bold", id)}  ${stateText(terminal, state)}`);
    for (const each of reasons.length > 0 ? reasons : [reason]) terminal.print(`  ${reasonLine(terminal, each)}`);
    if (state === "failed") terminal.print(`  next: ${nextOfFailed(shellWord(id))}`);
  }
  return EXIT.ok;
};

async function careOfTask({ store, project }: EngineContext, plan: PlanRow, record: TaskRecord): Promise<Care> {
  const { run } = (await store.summary(plan.id))!;
  const landing = record.row.state === "claimed_done" ? await store.landing(project.id, landingTarget(record)) : null;
  return (await careIn(store, plan, run))(record, landing);
}

function nextOfFailed(task: string): string {
  return `\`lockstep task show ${task}\` and \`lockstep logs ${task}\` show what went wrong, \`lockstep task retry ${task}\` tries it again`;
}

function reasonLine(terminal: Terminal, { code, text, until }: Reason): string {
  const when = until === null ? "" : ` (until ${terminal.time(until)})`;
  return `${code}: ${text}${when}`;
}
