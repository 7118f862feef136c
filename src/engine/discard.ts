/** Throws a task's work away, kept under a name of its own. */

import type { Rejection } from "../core/errors.ts";
import { reject } from "../core/errors.ts";
import type { Event } from "../core/task/events.ts";
import type { PlanRow, TaskRow } from "../core/task/rows.ts";
import type { TaskRecord } from "../ports/store.ts";
import type { Saved, WorkspaceRefusal, WorkspaceTask } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";
import { watchChanges } from "./wait.ts";

interface Discarding {
  plan: PlanRow;
  record: TaskRecord;
  why: string;
}

/** Asks for it: a live agent is to end first. Refused where another task's work is in the same files. */
export async function askToDiscard(
  context: EngineContext,
  { plan, record: { row }, why }: Discarding,
): Promise<{ events: Event[] } | { rejection: Rejection }> {
  const other = row.mode === "in_place" ? await context.workspace.opened() : null;
  if (other !== null && (other.plan !== plan.name || other.slug !== row.slug)) {
    const message = `the work of ${row.id} is in the checkout where ${other.plan}/${other.slug} is at work now`;
    return { rejection: reject("shared_tree", message, "Wait until that has ended, then discard.") };
  }
  const wish = { type: "attempt.stop", plan: plan.id, task: row.id, as: "cancelled", why, then: "pending" } as const;
  const answer = await context.store.submit({ ...wish, discards: true }, { actor: context.actor });
  return answer.ok ? { events: answer.events } : { rejection: answer.rejection };
}

/** An agent has ten seconds to end by itself, and its engine another moment to keep what it left. */
const SETTLED_WAIT_MS = 30_000;

/** Waits until the attempt is settled, and keeps the work; null when that takes longer than anybody wants to wait. */
export async function keepDiscarded(
  context: EngineContext,
  { plan, record }: Discarding,
): Promise<Saved | WorkspaceRefusal | null> {
  const { row, attempt } = record;
  if (!(await isSettled(context, row, attempt?.n ?? 0))) return null;
  const place: WorkspaceTask = { plan: plan.name, slug: row.slug, n: Math.max(1, row.attempts) };
  return context.workspace.discard(place, row.target);
}

async function isSettled(context: EngineContext, { plan, id }: TaskRow, n: number): Promise<boolean> {
  const { store, clock } = context;
  const changes = watchChanges(store, clock);
  try {
    for (const until = clock.now() + SETTLED_WAIT_MS; clock.now() < until; ) {
      changes.clear();
      const found = await store.task(plan, id);
      if (found?.attempt == null || found.attempt.n > n || found.attempt.state === "settled") return true;
      await changes.wait(until, []);
    }
    return false;
  } finally {
    changes.close();
  }
}
