/** Checks as they stand before the work begins: only so can a red guard be laid at the right door. */

import type { TaskRecord } from "../ports/store.ts";
import type { OpenedWorkspace } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import type { CheckJob, HeldJob } from "./run-check.ts";
import { holdJob, resultOf } from "./run-check.ts";

/** Runs each check that has no result on the tree that the work starts from. Landed trees have those of guards already. */
export async function recordBaselines(
  context: EngineContext,
  record: TaskRecord,
  opened: OpenedWorkspace,
  signal?: AbortSignal,
): Promise<void> {
  const { row, attempt } = record;
  if (opened.tree === null || row.unlanded || attempt === null) return;
  for (const check of await unknownOn(context, record, opened.tree)) {
    const job = await holdJob(context, check, { dir: opened.dir, task: row, attempt: attempt.n }, signal);
    await noteProcess(context, record, job);
    const result = await resultOf(context, job, await job.held.release(), opened.tree);
    if (result === null) return;
    await context.store.submit(
      { type: "check.baseline", plan: row.plan, task: row.id, result },
      { actor: context.actor },
    );
  }
}

/** What the task is told by is asked too where it must be red first: until it was on this tree. */
async function unknownOn({ store }: EngineContext, { row, definition }: TaskRecord, tree: string): Promise<CheckJob[]> {
  const unknown: CheckJob[] = [];
  for (const guard of definition.guards) {
    const outcome = await store.guardOutcome(row.plan, tree, guard.run);
    if (outcome === null || outcome === "error") unknown.push({ ...guard, kind: "guard" });
  }
  if (!definition.red_first) return unknown;
  const ran = (await store.checks(row.plan, row.id)).filter((check) => check.kind === "verify" && check.tree === tree);
  const isKnown = (run: string): boolean => ran.some(({ command }) => command === run);
  const verify = definition.verify.filter(({ run }) => !isKnown(run));
  return [...unknown, ...verify.map((check): CheckJob => ({ ...check, kind: "verify" }))];
}

/** Committed before the guard runs, so that whoever settles this attempt after a crash can end it. */
async function noteProcess(context: EngineContext, { row, lease }: TaskRecord, { held }: HeldJob): Promise<void> {
  if (lease === null || held.process === null) return;
  const { process } = held;
  const of = { plan: row.plan, task: row.id, token: lease.token };
  await context.store.submit({ type: "attempt.start", ...of, state: "starting", process }, { actor: context.actor });
}
