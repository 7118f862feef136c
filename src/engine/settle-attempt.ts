/** Ends an attempt in the store as its runner ended, its work kept. */

import { invariant } from "../core/assert.ts";
import { attemptMark, checkMark, entryOf } from "../core/attempt/marks.ts";
import { lastWorkPhase } from "../core/lane/lane.ts";
import type { Verdict } from "../core/task/commands/landings.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { RunnerEnd } from "../ports/runner.ts";
import type { WorkspaceTask } from "../ports/workspace.ts";
import { drawsOf, type EngineContext } from "./context.ts";
import { foreignWhile } from "./foreign-while.ts";
import { limitOf } from "./limit-of.ts";
import { attemptName, type LiveTask, ofAttempt } from "./live-task.ts";

export async function settleAttempt(
  context: EngineContext,
  plan: PlanRow,
  live: LiveTask,
  runnerEnd: RunnerEnd,
  heard: Used | null = null,
): Promise<void> {
  const { outcome, error, summary, report = null, failure = null, killed = outcome === "lost" } = runnerEnd;
  const { task, attempt } = live;
  const place = { plan: plan.name, slug: task.row.slug, n: attempt.n };
  if (outcome === "lost") await endLeft(context, live, place);
  const foreign = await foreignWhile(context, live);
  const isCheckedNext = outcome === "succeeded" && (await goesToItsChecks(context, plan, live));
  const kept = isCheckedNext ? null : await context.workspace.save(place);
  const unlanded = kept !== null && "saved" in kept && kept.saved !== null;
  const said = { outcome, error, summary, report, failure, ...usedBy(runnerEnd, heard), killed };
  const drawn = { limit: limitOf(context, attempt.agent, runnerEnd), draws_on: drawsOf(context, attempt.agent) };
  const end = { ...said, ...drawn, unlanded, verdict: verdictOf(live, runnerEnd), ...foreign };
  await context.runners.leavePlace(attemptName(live));
  await context.store.submit({ type: "attempt.settle", ...ofAttempt(live), ...end }, { actor: context.actor });
}

/** A review's answer about the work as it was when the review began; what its agent has to say about it is its summary. */
function verdictOf({ task }: LiveTask, { report, summary }: RunnerEnd): Verdict | null {
  const word = report?.verdict ?? null;
  return word === null ? null : { word, comments: summary ?? "", commit: task.row.work_commit };
}

/** What an attempt was heard to have used. */
export type Used = Pick<RunnerEnd, "usage" | "cost_usd">;

/** Of these an agent did not get to say its last word. */
const CUT_OFF: ReadonlySet<RunnerEnd["outcome"]> = new Set(["lost", "interrupted", "timed_out", "stalled"]);

/** What it told at its end, else what was heard of it last; partial where it may have used more than that. */
function usedBy(end: RunnerEnd, heard: Used | null): Used & { partial: boolean } {
  const { outcome, usage, cost_usd, killed, partial } = end;
  if (usage === null)
    return { usage: heard?.usage ?? null, cost_usd: cost_usd ?? heard?.cost_usd ?? null, partial: heard !== null };
  return { usage, cost_usd, partial: partial === true || killed === true || CUT_OFF.has(outcome) };
}

/** Whether its work is taken from its place by a landing next; otherwise it has to be kept, however well it was done. */
async function goesToItsChecks({ store }: EngineContext, plan: PlanRow, { task, lease }: LiveTask): Promise<boolean> {
  const { row, definition } = task;
  const lane = plan.policy.lanes[definition.lane];
  invariant(lane, `plan ${plan.name} has no lane ${definition.lane}`);
  const now = await store.task(row.plan, row.id);
  return now?.lease?.token === lease.token && now.attempt?.stop?.then == null && row.phase === lastWorkPhase(lane);
}

/** What an attempt left alive whose runner did not see its end. */
async function endLeft(
  { processes, workspace, store }: EngineContext,
  { task: { row }, attempt }: LiveTask,
  place: WorkspaceTask,
): Promise<void> {
  const of = { plan: row.plan, task: row.id, attempt: attempt.n };
  // The attempt may be known here from before its agent was started.
  const known = (await store.attempts(row.plan, row.id)).find(({ n }) => n === attempt.n);
  const runner = known?.process ?? null;
  if (runner !== null) await processes.kill(runner);
  for (const mark of [attemptMark(of), checkMark(of)]) await processes.killBearers(entryOf(mark));
  const own = await workspace.ownDir(place);
  if (own !== null && runner !== null) await processes.killInside(own, runner);
}
