/** What an engine that died left behind: live runners are attended on, dead ones are settled by what they left. */

import type { PlanRow } from "../core/task/rows.ts";
import type { LiveRunner } from "../ports/runner.ts";
import type { TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { holderOf } from "./context.ts";
import { NEVER } from "./halt.ts";
import { RUN_LEASE_MS } from "./keep-lease.ts";
import { attemptName, type LiveTask, ofAttempt } from "./live-task.ts";
import { attend } from "./run-attempt.ts";
import { type Failed, thrown } from "./set-aside.ts";
import { settleAttempt } from "./settle-attempt.ts";

/** A live attempt of an engine that is gone, and its runner. */
export interface Adopted {
  plan: PlanRow;
  live: LiveTask;
  runner: LiveRunner;
}

/**
 * Settles what is dead in the whole project, and adopts what lives on. Call only while holding the project's engine
 * lock: then every attempt of this node is without an engine.
 */
export async function adoptLeftovers(context: EngineContext, failed: Failed): Promise<Adopted[]> {
  const adopted: Adopted[] = [];
  for (const plan of await context.store.plans(context.project.id))
    adopted.push(...(await adoptLeftoversOf(context, plan, failed)));
  return adopted;
}

/** How many attempts that is, live or dead. */
export async function countLeftovers(context: EngineContext): Promise<number> {
  let count = 0;
  for (const plan of await context.store.plans(context.project.id))
    count += (await context.store.active(plan.id, PAGE)).filter((record) => leftover(context, record) !== null).length;
  return count;
}

/** The same of one plan, or of those of its tasks that are `wanted`. */
export async function adoptLeftoversOf(
  context: EngineContext,
  plan: PlanRow,
  failed: Failed = thrown,
  wanted: (record: TaskRecord) => boolean = () => true,
): Promise<Adopted[]> {
  const adopted: Adopted[] = [];
  for (const record of (await context.store.active(plan.id, PAGE)).filter(wanted)) {
    try {
      adopted.push(...(await adoptRecord(context, plan, record)));
    } catch (error) {
      await failed(record.row.id, error, plan.id);
    }
  }
  return adopted;
}

/** The same of one task, whose attempt this engine attends no more. */
export async function adoptTask(context: EngineContext, plan: PlanRow, task: string): Promise<Adopted[]> {
  const record = await context.store.task(plan.id, task);
  return record === null ? [] : adoptRecord(context, plan, record);
}

async function adoptRecord(context: EngineContext, plan: PlanRow, record: TaskRecord): Promise<Adopted[]> {
  const live = leftover(context, record);
  const found = live && (await settleOrAdopt(context, plan, live));
  return found ? [found] : [];
}

/** Null when it had ended, which is settled now. */
async function settleOrAdopt(context: EngineContext, plan: PlanRow, live: LiveTask): Promise<Adopted | null> {
  const runner = await context.runners.adopt(attemptName(live));
  if (runner === null) {
    // One that had begun left a spool: whatever took that away took its end, too.
    const error = live.attempt.process === null ? LOST.error : "its spool is gone";
    await settleAttempt(context, plan, live, { ...LOST, error });
    return null;
  }
  if (runner.isAlive() && runner.isForeign()) return { plan, live, runner };
  if (runner.isAlive()) {
    const taken = { holder: holderOf(context), expires_at: context.clock.now() + RUN_LEASE_MS };
    await context.store.submit({ type: "attempt.adopt", ...ofAttempt(live), ...taken }, { actor: context.actor });
    return { plan, live, runner };
  }
  await attend(context, plan, live, runner, { halt: NEVER, leave: NEVER });
  return null;
}

const LOST = { outcome: "lost", error: "its engine died", summary: null, usage: null, cost_usd: null } as const;

/** Of this node whoever the holder was, also this very process in an earlier run; of another once its lease is over. */
function leftover(
  { processes, clock }: EngineContext,
  { row, definition, attempt, lease }: TaskRecord,
): LiveTask | null {
  if (row.state !== "in_progress" || attempt?.kind !== "run" || lease === null) return null;
  const isLeft = lease.holder.node === processes.self().node || lease.expires_at <= clock.now();
  return isLeft ? { task: { row, definition }, attempt, lease } : null;
}
