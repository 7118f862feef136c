import type { TaskDefinition } from "../core/plan/definition.ts";
import type { AttemptRow, LeaseRow, TaskRow } from "../core/task/rows.ts";
import type { AttemptName } from "../ports/runner.ts";

/** A task with its live attempt and the right to act for it. */
export interface LiveTask {
  task: { row: TaskRow; definition: TaskDefinition };
  attempt: AttemptRow;
  lease: LeaseRow;
}

/** What every command about the attempt carries. */
export function ofAttempt({ task: { row }, lease }: LiveTask): { plan: string; task: string; token: number } {
  return { plan: row.plan, task: row.id, token: lease.token };
}

export function attemptName({ task: { row }, attempt }: LiveTask): AttemptName {
  return { plan: row.plan, task: row.id, slug: row.slug, n: attempt.n };
}
