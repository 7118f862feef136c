/** Where a task's attempt works: looked at without a change, or made ready. */

import { invariant } from "../core/assert.ts";
import type { ReadyTask } from "../ports/store.ts";
import type { OpenedWorkspace, OpenOptions, WorkspaceRefusal, WorkspaceTask } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";

interface Place {
  task: WorkspaceTask;
  options: OpenOptions;
}

/** What opening the place for the task's next attempt would answer. */
export async function probePlace(
  context: EngineContext,
  { row }: Pick<ReadyTask, "row">,
): Promise<OpenedWorkspace | WorkspaceRefusal> {
  const { task, options } = await placeOf(context, row, row.attempts + 1);
  return context.workspace.probe(task, options);
}

/** Opens the place for the attempt that has just been claimed; `row` is the task as it is now. */
export async function openPlaceFor(
  context: EngineContext,
  { row }: Pick<ReadyTask, "row">,
): Promise<OpenedWorkspace | WorkspaceRefusal> {
  const { task, options } = await placeOf(context, row, row.attempts);
  return context.workspace.open(task, options);
}

/** An attempt that ended without being settled here (its worker's lease ran out) left work that nobody has kept yet. */
export async function keepAbandoned(context: EngineContext): Promise<void> {
  const opened = await context.workspace.opened();
  if (opened === null) return;
  const plan = await context.store.planNamed(context.project.id, opened.plan);
  const live = plan
    ? (await context.store.active(plan.id, ACTIVE_MAX)).some(
        ({ row }) => row.slug === opened.slug && row.attempts === opened.n,
      )
    : false;
  if (!live) await context.workspace.save(opened);
}

const ACTIVE_MAX = 200;

async function placeOf({ store }: EngineContext, row: ReadyTask["row"], n: number): Promise<Place> {
  const plan = await store.plan(row.plan);
  invariant(plan, `plan ${row.plan} has no row`);
  const target = row.target.startsWith("refs/") ? row.target : null;
  return { task: { plan: plan.name, slug: row.slug, n }, options: { resume: row.unlanded, target } };
}
