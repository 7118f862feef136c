/** What an engine that died left behind: its attempts are ended, their work kept, their tasks handed on. */

import type { PlanRow } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { attemptMark, checkMark, entryOf } from "./marks.ts";

/** Call only while holding the project's engine lock: then no other engine's attempt of this node can be alive. */
export async function settleLeftovers(context: EngineContext): Promise<void> {
  for (const plan of await context.store.plans(context.project.id)) {
    const active = await context.store.active(plan.id, PAGE);
    for (const record of active) if (isLeftover(context, record)) await settleLost(context, plan, record);
  }
}

/** Of this node whoever the holder was, also this very process in an earlier run; of another once its lease is over. */
function isLeftover({ processes, clock }: EngineContext, { row, attempt, lease }: TaskRecord): boolean {
  if (row.state !== "in_progress" || attempt?.kind !== "run" || lease === null) return false;
  return lease.holder.node === processes.self().node || lease.expires_at <= clock.now();
}

async function settleLost(context: EngineContext, plan: PlanRow, { row, attempt, lease }: TaskRecord): Promise<void> {
  if (attempt === null || lease === null) return;
  if (attempt.process) await context.processes.kill(attempt.process);
  const of = { plan: plan.id, task: row.id, attempt: attempt.n };
  for (const mark of [attemptMark(of), checkMark(of)]) await context.processes.killBearers(entryOf(mark));
  const kept = await context.workspace.save({ plan: plan.name, slug: row.slug, n: attempt.n });
  await context.store.submit(
    {
      type: "attempt.settle",
      plan: plan.id,
      task: row.id,
      token: lease.token,
      outcome: "lost",
      error: "its engine died",
      summary: null,
      usage: null,
      cost_usd: null,
      unlanded: "saved" in kept && kept.saved !== null,
      verdict: null,
      due_at: null,
    },
    { actor: context.actor },
  );
}
