/** What of a plan does not start, grouped by why. */

import type { Facts } from "../../core/schedule/facts.ts";
import { type Closed, firstClosed } from "../../core/schedule/gates.ts";
import type { DependencyState } from "../../core/task/loaded.ts";
import type { TaskRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { gatherFacts } from "../../engine/facts.ts";
import { candidateOf } from "../../engine/next.ts";
import { PAGE, type ReadyTask, RowUnreadable, type Store, type TaskRecord } from "../../ports/store.ts";

export interface WaitingGroup {
  code: string;
  /** Of the first task of the group. */
  text: string;
  count: number;
  /** The first few. */
  tasks: string[];
  /** For whom each of these waits, where it waits for others: `["B for A"]`. */
  waits_for: string[];
}

/** Of a larger plan the first tasks are enough to see why it waits. */
const LOOKED_AT_MAX = 10_000;

/** Tasks named of each group. */
const NAMED_MAX = 5;

/** Pending tasks by the first thing that holds each; those that could start now are left out. */
export async function waitingGroups(
  context: EngineContext,
  plan: string,
  agent: string | null,
): Promise<WaitingGroup[]> {
  return groupsHeldBy(context, await gatherFacts(context, plan, agent), plan, agent);
}

/** The same by other facts than those of the moment: tasks that have `started` by them are left out. */
export async function groupsHeldBy(
  { store, clock }: EngineContext,
  facts: Facts,
  plan: string,
  agent: string | null,
  started: ReadonlySet<string> = new Set(),
): Promise<WaitingGroup[]> {
  const groups = new Map<string, WaitingGroup>();
  for (let offset = 0; offset < LOOKED_AT_MAX; offset += PAGE) {
    const page = await store.tasks(plan, { state: "pending", offset, limit: PAGE });
    for (const row of page.filter(({ id }) => !started.has(id))) {
      const held = heldByItself(row, clock.now()) ?? (await heldByGates(row));
      if (held) add(groups, held, row.id);
    }
    if (page.length < PAGE) break;
  }
  for (const group of groups.values()) await nameDependencies(store, plan, group);
  return [...groups.values()].sort((a, b) => b.count - a.count);

  async function heldByGates(row: TaskRow) {
    const record = await readable(store, row);
    if (record === UNREADABLE) return { code: "unreadable", text: "its rows of the store cannot be read" };
    if (!record) return null;
    return firstGate(facts, record, agent, clock.now());
  }
}

/** The first thing that keeps the task from starting by these facts; null: it could start now. */
export function firstGate(facts: Facts, task: ReadyTask, agent: string | null, now: number): Closed | null {
  const kind = facts.run === null ? "external" : "run";
  return firstClosed(facts, candidateOf(task, { kind, agent: task.definition.agent ?? agent }), now);
}

const UNREADABLE = Symbol("unreadable");

async function readable(store: Store, { plan, id }: TaskRow): Promise<TaskRecord | null | typeof UNREADABLE> {
  try {
    return await store.task(plan, id);
  } catch (error) {
    if (error instanceof RowUnreadable) return UNREADABLE;
    throw error;
  }
}

/** What the row alone tells: most tasks of a large plan wait for others, and are not read one by one. */
function heldByItself({ unmet, dead, due_at, reason }: TaskRow, now: number): { code: string; text: string } | null {
  if (dead > 0) return { code: "dependency_failed", text: "depends on a task that ended without being verified" };
  if (unmet > 0) return { code: "dependency_pending", text: "depends on tasks that are not verified yet" };
  if (due_at !== null && due_at > now) return { code: "due_later", text: `not before its time (${reason ?? "due"})` };
  return null;
}

function add(groups: Map<string, WaitingGroup>, { code, text }: { code: string; text: string }, id: string): void {
  const key = groupKey({ code, text });
  const group = groups.get(key) ?? { code, text, count: 0, tasks: [], waits_for: [] };
  group.count += 1;
  if (group.tasks.length < NAMED_MAX) group.tasks.push(id);
  groups.set(key, group);
}

/** What is told together. Each thing that is held ends at its own time and by its own means. */
export function groupKey({ code, text }: { code: string; text: string }): string {
  return code === "model_held" ? text : code;
}

const ON_OTHERS = new Set(["dependency_failed", "dependency_pending"]);

async function nameDependencies(store: Store, plan: string, group: WaitingGroup): Promise<void> {
  if (!ON_OTHERS.has(group.code)) return;
  for (const id of group.tasks) {
    const open = (await store.dependencies(plan, id)).filter(({ satisfied }) => !satisfied);
    const names = open.slice(0, NAMED_MAX).map((task) => (isDead(task) ? `${task.id}, ${task.state}` : task.id));
    const more = open.length > NAMED_MAX ? ` and ${open.length - NAMED_MAX} more` : "";
    group.waits_for.push(`${id} for ${names.join(", ")}${more}`);
  }
}

function isDead({ state }: DependencyState): boolean {
  return state === "failed" || state === "skipped" || state === "cancelled";
}

export function waitingText({ code, text, count, tasks, waits_for }: WaitingGroup): string {
  const more = count > tasks.length ? ` and ${count - tasks.length} more` : "";
  return `${count} ${code}: ${text} (${waits_for.length > 0 ? waits_for.join("; ") : tasks.join(", ")}${more})`;
}
