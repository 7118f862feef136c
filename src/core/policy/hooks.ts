/** Which events an operator's commands are told of. */

import type { Event } from "../task/events.ts";
import type { HookName } from "../task/rows.ts";

/** Commands for bash that are told what happened; null: none. */
export interface HookSettings {
  task_settled: string | null;
  run_ended: string | null;
  /** Longest time of one of them. */
  timeout_ms: number;
}

/** What a hook is told in words of its own, beside the event. */
export interface HookCall {
  hook: HookName;
  /** What the task or the run is in now. */
  state: string;
  /** Why the task is there: the cause of its move; how the run ended. */
  outcome: string;
}

/**
 * The hook that an event is for, or null. A task has settled when it is verified, failed, blocked, skipped or cancelled:
 * nothing goes on with it by itself. One that was answered or retried settles again.
 */
export function hookCall(event: Event): HookCall | null {
  switch (event.type) {
    case "task.verified":
    case "task.failed":
    case "task.blocked":
    case "task.skipped":
    case "task.cancelled":
      return { hook: "task_settled", state: event.data.to, outcome: event.data.cause };
    case "run.ended":
      return { hook: "run_ended", state: "ended", outcome: event.data.outcome };
    default:
      return null;
  }
}
