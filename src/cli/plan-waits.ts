/** Reads why pending tasks of a plan wait, in few looks however large the plan is. */

import type { WaitingTasks } from "../board/plan-facts.ts";
import type { TaskRow } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import { gatherFacts } from "../engine/facts.ts";
import { firstGate, groupKey } from "./run/waiting.ts";

/** Pending tasks that are looked at, again at every change of the plan. */
const PENDING_READ = 100;

/** Ready tasks of which it is asked what holds each: more than a run starts at once, and few enough for every change. */
const READY_READ = 64;

/** Why pending tasks wait, and when the first that only waits for a time could start; null: no such time is known. */
export interface Waits {
  waits: WaitingTasks[];
  opens_at: number | null;
}

/** Told of the first pending and the first ready tasks where there are many. */
export async function readWaits(context: EngineContext, plan: string, agent: string | null): Promise<Waits> {
  const now = context.clock.now();
  const rows = await context.store.tasks(plan, { state: "pending", offset: 0, limit: PENDING_READ });
  if (rows.length === 0) return { waits: [], opens_at: null };
  const counts = new Map<string, number>();
  for (const why of rows.flatMap((row) => whyByItself(row, now) ?? [])) counts.set(why, (counts.get(why) ?? 0) + 1);
  const at_least = rows.length === PENDING_READ;
  const others = [...counts].map(([why, count]) => ({ count, at_least, why }));
  const ready = await readyWaits(context, plan, agent, now);
  return { ...ready, waits: [...others, ...ready.waits].sort((a, b) => b.count - a.count) };
}

/** What the row alone tells. */
function whyByItself({ unmet, dead, due_at }: TaskRow, now: number): string | null {
  if (dead > 0) return "behind tasks that ended unverified";
  if (unmet > 0) return "for tasks that are not verified yet";
  return due_at !== null && due_at > now ? "not before their time" : null;
}

/** Ready tasks by the first thing that holds each, grouped as the end of a run groups them. */
async function readyWaits(context: EngineContext, plan: string, agent: string | null, now: number): Promise<Waits> {
  const found = await context.store.ready(plan, READY_READ);
  // A worker's task whose time has run out stands among them: it is not pending yet.
  const pending = found.filter(({ row }) => row.state === "pending");
  if (pending.length === 0) return { waits: [], opens_at: null };
  const facts = await gatherFacts(context, plan, agent);
  const at_least = found.length === READY_READ;
  const groups = new Map<string, WaitingTasks>();
  let opens_at: number | null = null;
  for (const task of pending) {
    const closed = firstGate(facts, task, agent, now);
    const key = closed === null ? "" : groupKey(closed);
    const group = groups.get(key) ?? { count: 0, at_least, why: closed === null ? "ready" : `ready: ${closed.text}` };
    groups.set(key, { ...group, count: group.count + 1 });
    if (closed !== null && closed.until !== null) opens_at = earlier(opens_at, closed.until);
  }
  return { waits: [...groups.values()], opens_at };
}

/** The sooner of two times of which either may be unknown. */
export function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
