/** External workers: any program that claims a task, works, and says that it is done or has failed. */

import { invariant } from "../core/assert.ts";
import type { Rejection } from "../core/errors.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { Answer, TaskRecord } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import type { LandingEnd } from "./landing.ts";
import { landTask } from "./landing.ts";
import { walkQueue } from "./landing-queue.ts";
import { landingTarget } from "./landing-target.ts";
import { type Opening, open } from "./landing-work.ts";

export interface DoneRequest {
  plan: PlanRow;
  task: string;
  token: number;
  summary: string | null;
  /** Aborting kills the check under way. */
  signal?: AbortSignal;
}

export type DoneAnswer = { rejection: Rejection } | { task: TaskRecord; landing: LandingEnd };

/** Settles the worker's attempt, then checks and lands: everything that is claimed done, in the order of the queue. */
export async function taskDone(context: EngineContext, request: DoneRequest): Promise<DoneAnswer> {
  const { plan, task, token, summary } = request;
  const { store } = context;
  const command = { type: "task.done", plan: plan.id, task, token, summary, verdict: null } as const;
  const opening: Opening = { command, answer: null };
  const early = await landAtOnce(context, request, opening);
  const answer = opening.answer ?? (await open(context, opening));
  const record = await store.task(plan.id, task);
  const isOwn = record?.attempt?.token === token;
  // Landed by now; or said again after a kill just behind the landing.
  if (record?.row.state === "verified" && isOwn) return { task: record, landing: early ?? { ended: true } };
  const isAwaited = record?.row.state === "claimed_done" && isOwn;
  if (!answer.ok && !isAwaited) return { rejection: answer.rejection };
  invariant(record, `task ${task} vanished`);
  if (early !== null) return { task: record, landing: early };
  return landDone(context, request, record);
}

/**
 * The common case, in fewer transactions: nothing else waits, and nothing but the store has to move, so the first check
 * is held before the task is claimed done and both are committed in one. Null when it has to go the long way.
 */
async function landAtOnce(
  context: EngineContext,
  { plan, task, token, signal }: DoneRequest,
  opening: Opening,
): Promise<LandingEnd | null> {
  const record = await context.store.task(plan.id, task);
  if (record?.lease?.token !== token || landingTarget(record).startsWith("refs/")) return null;
  if ((await context.store.unlanded(plan.id, 1)).length > 0) return null;
  return landTask(context, record, plan.name, signal, opening);
}

/** What became of a task that was handed over before; others that wait are landed on the way. */
export async function landDone(
  context: EngineContext,
  { plan, task, signal }: Pick<DoneRequest, "plan" | "task" | "signal">,
  record: TaskRecord,
): Promise<{ task: TaskRecord; landing: LandingEnd }> {
  const target = landingTarget(record);
  let own: LandingEnd = { ended: false, held: null };
  await walkQueue(context, {
    plan: plan.id,
    isLeft: () => false,
    isOver: () => signal?.aborted === true,
    land: async (next) => {
      const end = await landTask(context, next, plan.name, signal);
      if (end.ended) return "done";
      if (next.row.id === record.row.id || (end.held !== null && landingTarget(next) === target)) own = end;
      return end.held === null ? "waits" : "target_held";
    },
  });
  const after = await context.store.task(plan.id, task);
  invariant(after, `task ${task} vanished`);
  return { task: after, landing: after.row.state === "claimed_done" ? own : { ended: true } };
}

export interface FailRequest {
  plan: PlanRow;
  task: string;
  token: number;
  error: string;
}

/** The worker gives up: its work is kept, and the task goes on as its tries allow. */
export async function taskFail(context: EngineContext, { plan, task, token, error }: FailRequest): Promise<Answer> {
  const record = await context.store.task(plan.id, task);
  const holds = record?.lease?.token === token;
  const kept =
    record && holds
      ? await context.workspace.save({ plan: plan.name, slug: record.row.slug, n: record.row.attempts })
      : null;
  const unlanded = kept !== null && "saved" in kept && kept.saved !== null;
  return context.store.submit(
    { type: "task.fail", plan: plan.id, task, token, error, unlanded },
    { actor: context.actor },
  );
}

export function taskRenew(
  context: EngineContext,
  plan: PlanRow,
  task: string,
  token: number,
  ttlMs: number,
): Promise<Answer> {
  const expires_at = context.clock.now() + ttlMs;
  return context.store.submit({ type: "task.renew", plan: plan.id, task, token, expires_at }, { actor: context.actor });
}
