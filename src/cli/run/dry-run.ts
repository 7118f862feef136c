/** `run --dry-run`: what would start, and why the rest waits. Changes nothing. */

import { decide, walkLimit } from "../../core/schedule/decide.ts";
import type { PlanRow, RunRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { gatherFacts } from "../../engine/facts.ts";
import { candidateOf } from "../../engine/next.ts";
import { probePlace } from "../../engine/place.ts";
import type { Call } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { standingOf } from "../state-words.ts";
import { waitingGroups, waitingText } from "./waiting.ts";

export async function dryRun(
  { terminal }: Call,
  context: EngineContext,
  plan: PlanRow,
  wanted: string | null,
): Promise<number> {
  const agent = wanted ?? context.settings.agent;
  const first = await firstStart(context, plan, agent);
  const place = first && (await probePlace(context, first));
  const problem = place && "code" in place ? place.text : null;
  const start = first && { id: first.row.id, title: first.row.title, agent: first.definition.agent ?? agent };
  const waiting = (await waitingGroups(context, plan.id, agent)).filter(({ code }) => code !== "run_not_running");
  const { total, counts } = standingOf((await context.store.summary(plan.id))!);
  if (terminal.json) {
    terminal.printJson({
      plan: plan.name,
      starts: problem === null && start ? [start] : [],
      workspace: problem,
      waiting,
      counts,
      total,
    });
    return EXIT.ok;
  }
  if (start === null) terminal.print("nothing would start now");
  else if (problem !== null) terminal.print(`nothing would start: ${problem}`);
  else terminal.print(`would start  ${start.id}  ${start.title}, by ${start.agent ?? "no agent"}`);
  for (const group of waiting) terminal.print(`waits  ${waitingText(group)}`);
  return EXIT.ok;
}

async function firstStart(context: EngineContext, plan: PlanRow, agent: string | null) {
  const { store, clock } = context;
  const facts = await gatherFacts(context, plan.id, agent);
  const candidates = (await store.ready(plan.id, walkLimit(1))).map((task) =>
    candidateOf(task, { kind: "run", agent }),
  );
  return decide({ ...facts, run: facts.run ?? imaginedRun(plan) }, candidates, 1, clock.now())[0] ?? null;
}

/** The run that would be started, since without one nothing of it can. */
function imaginedRun({ project, id }: PlanRow): RunRow {
  return {
    project,
    plan: id,
    id: "",
    state: "running",
    outcome: null,
    jobs: 1,
    tasks_max: null,
    started: 0,
    budget_usd: null,
    spent_usd: 0,
    started_by: "",
    reason: null,
    started_at: 0,
    ended_at: null,
    version: 0,
  };
}
