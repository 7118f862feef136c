/** Ends an attempt in the store as its runner ended, its work kept. */

import { attemptMark, checkMark, entryOf } from "../core/attempt/marks.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { RunnerEnd } from "../ports/runner.ts";
import type { EngineContext } from "./context.ts";
import { foreignWhile } from "./foreign-while.ts";
import { type LiveTask, ofAttempt } from "./live-task.ts";

export async function settleAttempt(
  context: EngineContext,
  plan: PlanRow,
  live: LiveTask,
  { outcome, error, summary, usage, cost_usd, due_at = null }: RunnerEnd,
): Promise<void> {
  const { task, attempt } = live;
  if (outcome === "lost") await endBearers(context, live);
  const place = { plan: plan.name, slug: task.row.slug, n: attempt.n };
  const foreign = await foreignWhile(context, live);
  const kept = outcome === "succeeded" ? null : await context.workspace.save(place);
  const unlanded = kept !== null && "saved" in kept && kept.saved !== null;
  const end = { outcome, error, summary, usage, cost_usd, due_at, unlanded, verdict: null, ...foreign };
  await context.store.submit({ type: "attempt.settle", ...ofAttempt(live), ...end }, { actor: context.actor });
}

/** What an attempt left alive whose runner did not see its end. */
async function endBearers({ processes }: EngineContext, { task: { row }, attempt }: LiveTask): Promise<void> {
  const of = { plan: row.plan, task: row.id, attempt: attempt.n };
  if (attempt.process) await processes.kill(attempt.process);
  for (const mark of [attemptMark(of), checkMark(of)]) await processes.killBearers(entryOf(mark));
}
