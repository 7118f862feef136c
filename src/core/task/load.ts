/** The bulk command `plan.load`, one task at a time: what a new revision means for a task that the plan has or had. */

import { FRESH_COUNTERS } from "../attempt/caps.ts";
import type { CompiledTask, PlanProblem, TaskDefinition } from "../plan/definition.ts";
import { adoptedColumns } from "./adopted-columns.ts";
import type { Draft } from "./draft.ts";
import { endTask } from "./handlers/end.ts";
import { plainly, settle } from "./handlers/settle.ts";
import { keepsDefinition, keepsDependencies } from "./moves.ts";

export interface LoadedTask {
  change: "same" | "updated" | "restored";
  /** The task's new dependencies, or null when they stay. */
  edges: string[] | null;
  /** Why this revision cannot be loaded at all. */
  problem: PlanProblem | null;
}

/** A task of the file that the plan knows. `edges` are its dependencies so far. */
export function loadKnown(
  draft: Draft,
  incoming: CompiledTask,
  edges: readonly string[],
  revision: number,
): LoadedTask {
  const { retired, state, origin } = draft.task;
  const rewires = !sameMembers(edges, incoming.depends_on);
  if (origin !== "file")
    return refused(incoming, `task ${incoming.id} was added by hand: give the one in the file another id`);
  if (rewires && keepsDependencies(state))
    return refused(incoming, `task ${incoming.id} is ${state}: its dependencies can no longer change`);
  const restored = retired && bringBack(draft, revision);
  const updated = redefine(draft, incoming, rewires, revision);
  const change = restored ? "restored" : updated ? "updated" : "same";
  return { change, edges: rewires ? incoming.depends_on : null, problem: null };
}

/** A task that the file no longer has. Its live attempt is stopped by whoever runs it; what is verified stays so. */
export function retire(draft: Draft, revision: number): Draft {
  const { state } = draft.task;
  draft.rows = { ...draft.rows, task: { ...draft.task, retired: true, version: draft.task.version + 1 } };
  draft.add("task.retired", { revision });
  if (state === "verified" || state === "skipped" || state === "cancelled") return draft;
  const why = "its plan no longer has it";
  if (state !== "in_progress") return endTask(draft, "cancelled", why, false, "retired");
  draft.add("attempt.stopping", { stop: { as: "cancelled", why, then: "cancelled" } });
  return draft.attempt.kind === "external" ? settle(draft, plainly("cancelled", why)) : draft;
}

/** A retired task stands in the file again: it is no longer retired, and pending where only that had ended it. */
function bringBack(draft: Draft, revision: number): true {
  const { state, reason } = draft.task;
  draft.rows = { ...draft.rows, task: { ...draft.task, retired: false, version: draft.task.version + 1 } };
  draft.add("task.returned", { revision });
  if (state === "cancelled" && reason === "retired")
    draft.move("pending", "restored", {
      ...FRESH_COUNTERS,
      round: 1,
      started_at: null,
      finished_at: null,
      last_error: null,
    });
  if (state === "in_progress" && draft.attempt.stop?.then === "cancelled")
    draft.add("attempt.stopping", { stop: null });
  return true;
}

/** True when the file says something new of the task. What is live or verified keeps the definition that it started with. */
function redefine(draft: Draft, incoming: CompiledTask, rewires: boolean, revision: number): boolean {
  const { definition: next, path } = incoming;
  const { body, next: waiting } = draft.definition;
  const known = waiting ?? body;
  const { task } = draft;
  const says = rewires || !sameDefinition(known, next);
  if (!says && task.path === path && samePlace(draft)) return false;
  const waits = keepsDefinition(task.state);
  const { workspace, land } = draft.plan.policy;
  const place = task.state === "pending" && !task.unlanded ? { mode: workspace, target: land.target } : {};
  const columns = waits ? {} : { ...adoptedColumns(body, next), ...place };
  draft.rows = {
    ...draft.rows,
    task: { ...task, ...columns, path, revision, version: task.version + 1 },
    definition: waits ? { body, next } : { body: next, next: null },
  };
  if (!says) return false;
  draft.add("task.updated", { revision, waits });
  return true;
}

/** Only a task that has begun nothing moves to another kind of place. */
function samePlace({ task, plan }: Draft): boolean {
  const { workspace, land } = plan.policy;
  return task.state !== "pending" || task.unlanded || (task.mode === workspace && task.target === land.target);
}

function refused(incoming: CompiledTask, message: string): LoadedTask {
  return { change: "same", edges: null, problem: { path: `task ${incoming.id}`, message } };
}

/** Both come from the same reader, which writes the keys in one order. */
function sameDefinition(a: TaskDefinition, b: TaskDefinition): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const members = new Set(a);
  return b.every((id) => members.has(id));
}
