/** Reads the rows that a command needs, and no others. */

import { invariant } from "../../core/assert.ts";
import { NONE_STARTED } from "../../core/schedule/started-lately.ts";
import type { RowCommand } from "../../core/task/commands.ts";
import type { Loaded } from "../../core/task/loaded.ts";
import { NOTHING_LOADED } from "../../core/task/loaded.ts";
import type { TaskState } from "../../core/task/moves.ts";
import { TASK_STATES } from "../../core/task/moves.ts";
import type { Needs } from "../../core/task/needs.ts";
import { needs } from "../../core/task/needs.ts";
import type { ItemRow } from "../../core/task/rows.ts";
import type { TaskRecord } from "../../ports/store.ts";
import type { Tables } from "./tables.ts";

/** Dependants that a refusal to retry names. */
const RELIED_NAMED_MAX = 5;

/** The span that a cap on starts looks back on. */
export const HOUR_MS = 3_600_000;

/** The rows of `needs(command)`; what the command does not need is as in `NOTHING_LOADED`. */
export function loadRows(tables: Tables, command: RowCommand, now: number): Loaded {
  const wanted = needs(command);
  if (wanted.project !== null) return { ...NOTHING_LOADED, holds: tables.holds(wanted.project) };
  const plan = wanted.plan === null ? null : tables.plan(wanted.plan);
  if (!plan) return NOTHING_LOADED;
  const named = namedItem(tables, plan.id, wanted);
  const id = wanted.task ?? named?.task ?? null;
  const ofTask = id === null ? NO_TASK : taskRows(tables, plan.id, id);
  const loaded: Loaded = {
    ...NOTHING_LOADED,
    ...ofTask,
    plan,
    run: tables.liveRun(plan.id),
    token: tables.lastToken(),
  };
  if (wanted.items) loaded.items = itemRows(tables, plan.id, id, named);
  if (wanted.landing !== null) loaded.landing = tables.landing(plan.project, wanted.landing);
  if (wanted.counts) loaded.counts = countsOf(tables, plan.id);
  if (wanted.relied && loaded.task?.state === "skipped" && loaded.task.satisfied)
    loaded.relied = tables.relied(plan.id, loaded.task.id, RELIED_NAMED_MAX);
  if (wanted.dependencies.length > 0)
    loaded.dependencies = wanted.dependencies.flatMap((name) => tables.dependency(plan.id, name) ?? []);
  if (wanted.holds) loaded.holds = tables.holds(plan.project);
  return wanted.gates ? { ...loaded, ...gateRows(tables, plan.project, command, now) } : loaded;
}

type TaskRows = Pick<Loaded, "task" | "definition" | "attempt" | "lease">;

const NO_TASK: TaskRows = { task: null, definition: null, attempt: null, lease: null };

/** A task with its definition, its last attempt, and that attempt's lease while it is live. */
export function taskRows(tables: Tables, plan: string, id: string): TaskRows {
  const task = tables.task(plan, id);
  if (!task) return NO_TASK;
  const held = task.attempts === 0 ? null : tables.attempt(plan, id, task.attempts);
  const { attempt, lease } = held ?? NO_TASK;
  return { task, definition: tables.definition(plan, id), attempt, lease };
}

/** The same for whoever asks; null when the plan has no such task. */
export function recordOf(tables: Tables, plan: string, id: string): TaskRecord | null {
  const { task, definition, attempt, lease } = taskRows(tables, plan, id);
  if (!task) return null;
  invariant(definition, `task ${id} has no definition`);
  return { row: task, definition: definition.body, attempt, lease };
}

function namedItem(tables: Tables, plan: string, { items }: Needs): ItemRow | null {
  return items !== null && "id" in items ? tables.item(plan, items.id) : null;
}

/** The named item first, then what else is open about its task. */
function itemRows(tables: Tables, plan: string, task: string | null, named: ItemRow | null): ItemRow[] {
  const open = task === null ? [] : tables.openItemsOf(plan, task);
  return named ? [named, ...open.filter((item) => item.id !== named.id)] : open;
}

function countsOf(tables: Tables, plan: string): Record<TaskState, number> {
  const tallies = tables.tallies(plan);
  return Object.fromEntries(TASK_STATES.map((state) => [state, tallies[state]])) as Record<TaskState, number>;
}

function gateRows(tables: Tables, project: string, command: RowCommand, now: number): Partial<Loaded> {
  const capped = command.type === "task.claim" && command.caps.hourly !== null;
  return {
    holds: tables.holds(project),
    underway: tables.underway(project),
    started_last_hour: capped ? tables.startedSince(project, now - HOUR_MS) : NONE_STARTED,
  };
}
