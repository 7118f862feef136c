/** Guards as they stand before the work begins: only so can a red guard be laid at the right door. */

import type { TaskRecord } from "../ports/store.ts";
import type { OpenedWorkspace } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import type { HeldJob } from "./run-check.ts";
import { holdJob, resultOf } from "./run-check.ts";

/** Runs each guard that has no result on the tree that the work starts from. Landed trees have theirs already. */
export async function recordBaselines(
  context: EngineContext,
  record: TaskRecord,
  opened: OpenedWorkspace,
  signal?: AbortSignal,
): Promise<void> {
  const { row, definition, attempt } = record;
  if (opened.tree === null || row.unlanded || attempt === null) return;
  for (const guard of definition.guards) {
    if ((await context.store.guardOutcome(row.plan, opened.tree, guard.run)) !== null) continue;
    const place = { dir: opened.dir, task: row, attempt: attempt.n };
    const job = await holdJob(context, { ...guard, kind: "guard" }, place, signal);
    await noteProcess(context, record, job);
    const result = resultOf(job, await job.held.release(), opened.tree);
    if (result === null) return;
    await context.store.submit(
      { type: "check.baseline", plan: row.plan, task: row.id, result },
      { actor: context.actor },
    );
  }
}

/** Committed before the guard runs, so that whoever settles this attempt after a crash can end it. */
async function noteProcess(context: EngineContext, { row, lease }: TaskRecord, { held }: HeldJob): Promise<void> {
  if (lease === null || held.process === null) return;
  const { process } = held;
  const of = { plan: row.plan, task: row.id, token: lease.token };
  await context.store.submit({ type: "attempt.start", ...of, state: "starting", process }, { actor: context.actor });
}
