/** Where a task's attempt works: looked at without a change, or made ready. */

import { invariant } from "../core/assert.ts";
import { hasOwnBranch } from "../core/plan/definition.ts";
import type { ReadyTask, TaskRecord } from "../ports/store.ts";
import type { OpenedWorkspace, OpenOptions, Preparing, WorkspaceRefusal, WorkspaceTask } from "../ports/workspace.ts";
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
  preparing: Preparing,
): Promise<OpenedWorkspace | WorkspaceRefusal> {
  const { task, options } = await placeOf(context, row, row.attempts);
  return context.workspace.open(task, { ...options, ...preparing });
}

/** Attempts that ended without being settled here (a worker's lease ran out) left work that nobody has kept yet. */
export async function keepAbandoned(context: EngineContext): Promise<void> {
  for (const opened of await context.workspace.occupied()) await keepIfAbandoned(context, opened);
}

async function keepIfAbandoned(context: EngineContext, opened: WorkspaceTask): Promise<void> {
  const plan = await context.store.planNamed(context.project.id, opened.plan);
  const active = plan ? await context.store.active(plan.id, ACTIVE_MAX) : [];
  const found = active.find(({ row }) => row.slug === opened.slug && row.attempts === opened.n);
  if (found === undefined || hasRunOut(context, found)) await context.workspace.save(opened);
}

/** Its worker may write nothing more, though nobody has claimed the task since. */
function hasRunOut({ clock }: EngineContext, { row, attempt, lease }: TaskRecord): boolean {
  if (row.state !== "in_progress" || attempt?.kind !== "external") return false;
  return lease === null || lease.expires_at <= clock.now();
}

/**
 * Makes sure that the place is this task's before its work is taken from there: an answer may have sent it back to its
 * checks after others worked in the same place. `busy`: another attempt has it now. `reopened`: what it left there is
 * there again, unless others were there since.
 */
export async function regainPlace(
  context: EngineContext,
  { row }: Pick<ReadyTask, "row">,
  place: WorkspaceTask,
): Promise<"held" | "reopened" | "busy" | WorkspaceRefusal> {
  if (row.mode === "none") return "held";
  const isHeld = await holds(context, place);
  if (!isHeld) await keepAbandoned(context);
  if (isHeld || hasOwnBranch(row.mode)) return "held";
  if ((await context.workspace.opened()) !== null) return "busy";
  if (!row.unlanded || !row.target.startsWith("refs/")) return "held";
  const again = await context.workspace.open(place, { resume: true, target: row.target });
  return "code" in again ? again : "reopened";
}

async function holds({ workspace }: EngineContext, place: WorkspaceTask): Promise<boolean> {
  const opened = await workspace.opened();
  return opened !== null && isSamePlace(opened, place);
}

function isSamePlace(a: WorkspaceTask, b: WorkspaceTask): boolean {
  return a.plan === b.plan && a.slug === b.slug && a.n === b.n;
}

const ACTIVE_MAX = 200;

async function placeOf({ store }: EngineContext, row: ReadyTask["row"], n: number): Promise<Place> {
  const plan = await store.plan(row.plan);
  invariant(plan, `plan ${row.plan} has no row`);
  const target = row.target.startsWith("refs/") ? row.target : null;
  const options = { resume: row.unlanded, target, base: plan.policy.land.base, merge_target: row.conflicts > 0 };
  return { task: { plan: plan.name, slug: row.slug, n }, options };
}
