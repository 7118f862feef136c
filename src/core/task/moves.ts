/** The states of a task and every legal move between them (spec, section 2). The table is the truth. */

import { invariant } from "../assert.ts";

export const TASK_STATES = [
  "pending",
  "in_progress",
  "claimed_done",
  "verified",
  "blocked",
  "failed",
  "skipped",
  "cancelled",
] as const;

export type TaskState = (typeof TASK_STATES)[number];

const OPERATOR_ENDS = ["pending", "in_progress", "claimed_done", "blocked", "failed"] as const;

const MOVES: Readonly<Record<TaskState, Partial<Record<TaskState, readonly MoveCause[]>>>> = {
  pending: {
    pending: ["handed_back"],
    in_progress: ["claimed"],
    verified: ["override"],
    skipped: ["operator", "dependency_failed"],
    cancelled: ["operator", "retired"],
  },
  in_progress: {
    pending: ["try_left", "lost", "rate_limited", "auth", "credit", "handed_back", "phase_done", "rejected", "rewrite"],
    claimed_done: ["work_done", "approved"],
    blocked: ["question", "product", "setback_bound"],
    failed: ["tries_gone", "rounds_gone"],
    verified: ["override"],
    skipped: ["operator"],
    cancelled: ["operator", "retired"],
  },
  claimed_done: {
    verified: ["landed", "override"],
    pending: [
      "checks_red",
      "conflict",
      "red_together",
      "scope_broken",
      "review_due",
      "handed_back",
      "workspace_broken",
      "no_changes",
    ],
    blocked: [
      "protected_files",
      "weakened_checks",
      "green_before",
      "base_red",
      "environment",
      "publish_refused",
      "pull_request",
      "setback_bound",
    ],
    failed: ["tries_gone"],
    skipped: ["operator"],
    cancelled: ["operator", "retired"],
  },
  blocked: {
    pending: ["answered", "handed_back", "ci_failed", "changes_requested"],
    claimed_done: ["answered", "merged"],
    failed: ["expired", "answered"],
    verified: ["override"],
    skipped: ["operator", "answered"],
    cancelled: ["operator", "retired"],
  },
  failed: {
    pending: ["retried"],
    verified: ["override"],
    skipped: ["operator"],
    cancelled: ["operator", "retired"],
  },
  skipped: { pending: ["retried"] },
  cancelled: { pending: ["retried", "restored"] },
  verified: {},
};

export type MoveCause =
  | "claimed"
  | "try_left"
  | "lost"
  | "rate_limited"
  /** Kinds of failure that no other try can mend. */
  | "auth"
  | "credit"
  | "handed_back"
  | "phase_done"
  | "rejected"
  | "rewrite"
  | "work_done"
  | "approved"
  | "question"
  | "product"
  | "setback_bound"
  | "tries_gone"
  | "rounds_gone"
  | "landed"
  | "override"
  | "checks_red"
  | "conflict"
  | "red_together"
  | "scope_broken"
  | "review_due"
  | "workspace_broken"
  | "no_changes"
  | "protected_files"
  | "weakened_checks"
  | "green_before"
  | "base_red"
  | "environment"
  | "publish_refused"
  | "pull_request"
  | "ci_failed"
  | "changes_requested"
  | "merged"
  | "answered"
  | "expired"
  | "operator"
  | "dependency_failed"
  | "retired"
  | "retried"
  | "restored";

/** True when the table has this move for this cause. */
export function mayMove(from: TaskState, to: TaskState, cause: MoveCause): boolean {
  return MOVES[from][to]?.includes(cause) ?? false;
}

/** Throws when a handler is about to make a move that the table does not have. */
export function assertMove(from: TaskState, to: TaskState, cause: MoveCause): void {
  invariant(mayMove(from, to, cause), `no move ${from} > ${to} by ${cause}`);
}

/** Every row of the table, in the order of the states. */
export function* allMoves(): Generator<{ from: TaskState; to: TaskState; cause: MoveCause }> {
  for (const from of TASK_STATES)
    for (const to of TASK_STATES) for (const cause of MOVES[from][to] ?? []) yield { from, to, cause };
}

/** States that an operator's skip, cancel or override may leave. */
export function mayBeEnded(state: TaskState): boolean {
  return (OPERATOR_ENDS as readonly TaskState[]).includes(state);
}

/** The definition that the task started with must hold now. */
export function keepsDefinition(state: TaskState): boolean {
  return state === "in_progress" || state === "claimed_done" || state === "verified";
}

/** The task has begun on what its dependencies gave it, so they may not be rewritten. */
export function keepsDependencies(state: TaskState): boolean {
  return keepsDefinition(state) || state === "blocked";
}
