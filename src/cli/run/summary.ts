/** The end of a run, for whoever reads it in the morning: what landed, what did not and why, and what to do next. */

import { OUTCOME_WORDS } from "../../board/head-lines.ts";
import type { HeldForPerson } from "../../core/schedule/held-for-person.ts";
import { heldText } from "../../core/schedule/holds.ts";
import { askedTogether, tasksText } from "../../core/task/asked-together.ts";
import { answerCommand } from "../../core/task/item-words.ts";
import type { Outside, PlanRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import type { RunEnd } from "../../engine/run.ts";
import { PAGE } from "../../ports/store.ts";
import { firstLine, outsideText } from "../event-text.ts";
import { heldNow, releasesOf } from "../plan-facts.ts";
import { shellWord } from "../shell-word.ts";
import { countsText, standingOf, stateText } from "../state-words.ts";
import type { Terminal } from "../terminal.ts";
import { nextStep } from "./next-step.ts";
import { waitingGroups, waitingText } from "./waiting.ts";

export interface EndedRun {
  plan: PlanRow;
  agent: string | null;
  end: Omit<RunEnd, "run">;
  landed: readonly string[];
  outside: ReadonlyMap<string, Outside>;
  mended: readonly string[];
}

/** Tasks listed under each heading. */
const LISTED_MAX = 10;

export async function printSummary(
  terminal: Terminal,
  context: EngineContext,
  { plan, agent, end, landed, outside, mended }: EndedRun,
): Promise<void> {
  const { total, counts, completion_pct } = standingOf(end.summary);
  terminal.print(`\n${terminal.style("bold", plan.name)}: ${OUTCOME_WORDS[end.outcome]}`);
  terminal.print(`${completion_pct.toFixed(1)} % of ${total} ${total === 1 ? "task" : "tasks"}: ${countsText(counts)}`);
  await printLanded(terminal, context, plan, landed);
  await printFailed(terminal, context, plan);
  printOutside(terminal, outside);
  for (const text of mended) terminal.print(`${terminal.style("yellow", "repository")}  ${text}`);
  for (const group of counts.pending > 0 ? await waitingGroups(context, plan.id, agent ?? context.settings.agent) : [])
    terminal.print(`waits  ${waitingText(group)}`);
  const releases = await releasesOf(await heldNow(context.store, plan.project), async () => context);
  printHeld(terminal, end, releases);
  await printItems(terminal, context, plan);
  const { outcome, held, summary } = end;
  const left = { outcome, held, open_items: summary.open_items, failed: counts.failed, releases };
  terminal.print(`next: ${nextStep(left, plan)}`);
}

/** Whoever only followed the run sees what is held, too. */
function printHeld(terminal: Terminal, { held }: EndedRun["end"], releases: readonly HeldForPerson[]): void {
  const label = terminal.style("yellow", "needs you");
  const texts = releases.map(({ hold, agents }) => heldText(hold, agents));
  if (held !== null && !texts.includes(held)) terminal.print(`${label}  ${held}`);
  for (const text of texts) terminal.print(`${label}  ${text}`);
}

async function printLanded(
  terminal: Terminal,
  { store }: EngineContext,
  { id }: PlanRow,
  landed: readonly string[],
): Promise<void> {
  for (const task of landed.slice(0, LISTED_MAX)) {
    const row = (await store.task(id, task))?.row;
    if (!row) continue;
    const where = row.landed_sha === null ? "" : `  ${row.landed_sha.slice(0, 10)}`;
    terminal.print(`${stateText(terminal, row.state)}  ${row.id}  ${row.title}${where}`);
  }
  if (landed.length > LISTED_MAX) terminal.print(`  and ${landed.length - LISTED_MAX} more`);
}

async function printFailed(terminal: Terminal, { store }: EngineContext, { id, name }: PlanRow): Promise<void> {
  const failed = await store.tasks(id, { state: "failed", offset: 0, limit: LISTED_MAX + 1 });
  for (const row of failed.slice(0, LISTED_MAX)) {
    terminal.print(
      `${stateText(terminal, row.state)}  ${row.id}  ${row.title}: ${firstLine(row.last_error ?? row.reason ?? "")}`,
    );
    terminal.print(`  lockstep task show ${shellWord(row.id)}`);
  }
  if (failed.length > LISTED_MAX) terminal.print(`  more: lockstep plan show ${name} --state failed`);
}

function printOutside(terminal: Terminal, outside: EndedRun["outside"]): void {
  for (const [task, files] of [...outside].slice(0, LISTED_MAX))
    terminal.print(`${terminal.style("yellow", "outside")}  ${task}  ${outsideText(files)}`);
  if (outside.size > LISTED_MAX) terminal.print(`  and ${outside.size - LISTED_MAX} more`);
}

async function printItems(terminal: Terminal, { store, project }: EngineContext, { id }: PlanRow): Promise<void> {
  const asked = askedTogether(await store.openItems(project.id, id, PAGE)).slice(0, LISTED_MAX);
  for (const { item, tasks } of asked) {
    terminal.print(`${terminal.style("yellow", "needs you")}  ${tasksText(tasks) ?? ""}  ${firstLine(item.text)}`);
    terminal.print(`  ${answerCommand(item)}`);
  }
}
