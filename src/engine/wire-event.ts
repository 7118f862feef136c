/** The form in which records leave this process: plans by their names, times as ISO-8601 in UTC. */

import type { Event } from "../core/task/events.ts";
import type { PlanRow } from "../core/task/rows.ts";

/** An event as scripts get it: the plan by its name, and nothing that is not there. */
export function wireEvent(event: Event, plans: readonly PlanRow[]): Record<string, unknown> {
  const { seq, at, type, v, project, plan, task, attempt, actor, data } = event;
  const name = plans.find(({ id }) => id === plan)?.name ?? plan;
  return {
    seq,
    at,
    type,
    v,
    project,
    plan: name,
    ...(task === null ? {} : { task }),
    ...(attempt === null ? {} : { attempt }),
    actor,
    data,
  };
}

/** JSON of a record; every number under the name of a time (`at`, `due_at`, `until`) becomes that moment in words. */
export function wireJson(value: unknown): string {
  return JSON.stringify(value, wireTime);
}

/** Names of times in records: `started_at`, `due_at`, `at`, `until`. */
const TIME_NAME = /(^|_)(at|until)$/;

function wireTime(name: string, value: unknown): unknown {
  return typeof value === "number" && TIME_NAME.test(name) ? isoTime(value) : value;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
