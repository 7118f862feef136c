/** `run --dry-run`: what would start, and why the rest waits. Changes nothing. */

import { decide, factsAfter, walkLimit } from "../../core/schedule/decide.ts";
import type { PlanRow, RunRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { gatherFacts } from "../../engine/facts.ts";
import { candidateOf } from "../../engine/next.ts";
import { probePlace } from "../../engine/place.ts";
import type { Call } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { standingOf } from "../state-words.ts";
import { groupsHeldBy, type WaitingGroup, waitingText } from "./waiting.ts";

export interface DryRunWish {
  plan: PlanRow;
  agent: string | null;
  jobs: number | null;
}

export async function dryRun({ terminal }: Call, context: EngineContext, wish: DryRunWish): Promise<number> {
  const { store } = context;
  const { plan } = wish;
  const { starts, waiting, problem } = await foresee(context, wish);
  const { total, counts } = standingOf((await store.summary(plan.id))!);
  if (terminal.json) {
    terminal.printJson({ plan: plan.name, starts, workspace: problem, waiting, counts, total });
    return EXIT.ok;
  }
  if (problem !== null) terminal.print(`nothing would start: ${problem}`);
  else if (starts.length === 0) terminal.print("nothing would start now");
  for (const { id, title, agent } of starts) terminal.print(`would start  ${id}  ${title}, by ${agent ?? "no agent"}`);
  for (const group of waiting) terminal.print(`waits  ${waitingText(group)}`);
  return EXIT.ok;
}

interface Foreseen {
  starts: { id: string; title: string; agent: string | null }[];
  /** What holds the rest, once those have started. */
  waiting: WaitingGroup[];
  /** Why no place can be had, or null. */
  problem: string | null;
}

async function foresee(context: EngineContext, { plan, ...wish }: DryRunWish): Promise<Foreseen> {
  const { store, clock, settings } = context;
  const agent = wish.agent ?? settings.agent;
  const now = await gatherFacts(context, plan.id, agent);
  const jobs = wish.jobs ?? now.run?.jobs ?? settings.jobs;
  const facts = { ...now, run: now.run ?? { ...imaginedRun(plan), jobs } };
  const ready = await store.ready(plan.id, walkLimit(jobs));
  const candidates = ready.map((task) => candidateOf(task, { kind: "run", agent }));
  const starts = decide(facts, candidates, jobs, clock.now());
  const place = starts[0] ? await probePlace(context, starts[0]) : null;
  const problem = place && "code" in place ? place.text : null;
  const started = new Set(starts.map(({ row }) => row.id));
  const waiting = await groupsHeldBy(context, starts.reduce(factsAfter, facts), plan.id, agent, started);
  const of = (candidate: (typeof starts)[number]) => candidate.definition.agent ?? agent;
  return {
    starts: problem !== null ? [] : starts.map((one) => ({ id: one.row.id, title: one.row.title, agent: of(one) })),
    waiting,
    problem,
  };
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
    panic: false,
    started_at: 0,
    ended_at: null,
    version: 0,
  };
}
