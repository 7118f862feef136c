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
