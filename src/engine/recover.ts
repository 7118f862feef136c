/** What an engine that died left behind: its attempts are ended, their work kept, their tasks handed on. */

import type { PlanRow } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";

/** Call only while holding the project's engine lock: then no other engine's attempt of this node can be alive. */
export async function settleLeftovers(context: EngineContext): Promise<void> {
  for (const plan of await context.store.plans(context.project.id)) {
    const active = await context.store.active(plan.id, PAGE);
    for (const record of active) if (isLeftover(context, record)) await settleLost(context, plan, record);
  }
}

function isLeftover({ processes }: EngineContext, { row, attempt, lease }: TaskRecord): boolean {
  if (row.state !== "in_progress" || attempt?.kind !== "run" || lease === null) return false;
  const self = processes.self();
  return lease.holder.node === self.node && lease.holder.pid !== self.pid;
}

async function settleLost(context: EngineContext, plan: PlanRow, { row, attempt, lease }: TaskRecord): Promise<void> {
  if (attempt === null || lease === null) return;
  if (attempt.process) await context.processes.kill(attempt.process);
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
