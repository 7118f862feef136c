/** One attempt by an agent, from its brief to its settling. */

import type { RowCommand } from "../core/task/commands.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { AgentEnd } from "../ports/agent.ts";
import type { WorkspaceTask } from "../ports/workspace.ts";
import { attemptBlobs } from "./attempt-blobs.ts";
import { briefFor } from "./brief.ts";
import type { Claimed } from "./claim.ts";
import type { EngineContext } from "./context.ts";
import { attemptMark } from "./marks.ts";
import { watchForStop } from "./stop-request.ts";

/** Aborting `signal` ends the agent; the attempt is then settled as interrupted and its work kept. */
export async function runAttempt(
  context: EngineContext,
  plan: PlanRow,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<void> {
  const asked = watchForStop(context, claimed);
  const end = await drive(context, plan, claimed, AbortSignal.any([signal, asked.signal]));
  const { task, attempt, lease } = claimed;
  const place: WorkspaceTask = { plan: plan.name, slug: task.row.slug, n: attempt.n };
  const kept = end.outcome === "succeeded" ? null : await context.workspace.save(place);
  const unlanded = kept !== null && "saved" in kept && kept.saved !== null;
  await submit(context, {
    type: "attempt.settle",
    plan: plan.id,
    task: task.row.id,
    token: lease.token,
    ...end,
    unlanded,
    verdict: null,
    due_at: null,
  });
  await asked.close();
}

async function drive(context: EngineContext, plan: PlanRow, claimed: Claimed, signal: AbortSignal): Promise<AgentEnd> {
  const { task, attempt, lease } = claimed;
  const agent = context.agent(attempt.agent);
  if (agent === null) return failed(`agent ${attempt.agent ?? "(none)"} is not configured in lockstep.yaml`);
  const brief = briefFor(plan, claimed);
  const blobs = attemptBlobs(task.row, attempt.n);
  const briefFile = await context.blobs.write(blobs.brief, `${JSON.stringify(brief, null, 2)}\n`);
  return agent.run({
    brief,
    briefFile,
    env: { ...context.env, ...attemptMark({ plan: plan.id, task: task.row.id, attempt: attempt.n }) },
    logFile: await context.blobs.path(blobs.log),
    signal,
    started: async (process) => {
      const command = {
        type: "attempt.start",
        plan: plan.id,
        task: task.row.id,
        token: lease.token,
        state: "running",
        process,
      } as const;
      await submit(context, command);
    },
  });
}

function failed(error: string): AgentEnd {
  return { outcome: "failed", error, summary: null, usage: null, cost_usd: null };
}

function submit(context: EngineContext, command: RowCommand): Promise<unknown> {
  return context.store.submit(command, { actor: context.actor });
}
