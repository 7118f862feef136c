/** States as people see them: a sign and a word, and a colour that only repeats what they say. */

import { STATE_LOOKS } from "../board/paint.ts";
import type { TaskState } from "../core/task/moves.ts";
import { TASK_STATES } from "../core/task/moves.ts";
import type { TaskRow } from "../core/task/rows.ts";
import type { PlanSummary } from "../ports/store.ts";
import type { Terminal } from "./terminal.ts";

export function stateText(terminal: Terminal, state: TaskState): string {
  const { sign, style } = STATE_LOOKS[state];
  return terminal.style(style, `${sign} ${state}`);
}

/** What must not be forgotten of a task wherever it is shown. */
export function marksOf({ state, unverified, satisfied, retired }: TaskRow): string {
  const marks = [
    unverified ? "unverified: an operator's word, no checks" : "",
    state === "skipped" && satisfied ? "counts as verified" : "",
    retired ? "retired: no longer in its plan's file" : "",
  ].filter((mark) => mark !== "");
  return marks.length === 0 ? "" : ` (${marks.join("; ")})`;
}

/** `3 verified, 1 failed`; states that no task is in are left out. */
export function countsText(counts: Record<TaskState, number>): string {
  const parts = TASK_STATES.filter((state) => counts[state] > 0).map((state) => `${counts[state]} ${state}`);
  return parts.length === 0 ? "no tasks" : parts.join(", ");
}

export interface Standing {
  /** Every task that the plan has or had. */
  total: number;
  counts: Record<TaskState, number>;
  /** Of the tasks that are not retired; one decimal. */
  completion_pct: number;
}

export function standingOf({ tallies }: PlanSummary): Standing {
  const counts = Object.fromEntries(TASK_STATES.map((state) => [state, tallies[state]])) as Record<TaskState, number>;
  const total = TASK_STATES.reduce((sum, state) => sum + counts[state], 0);
  const { done, expected } = progressOf(tallies);
  return { total, counts, completion_pct: expected <= 0 ? 0 : Math.round((done / expected) * 1_000) / 10 };
}

/** Tasks that are verified or count so, of those that are not retired. */
export function progressOf(tallies: PlanSummary["tallies"]): { done: number; expected: number } {
  const all = TASK_STATES.reduce((sum, state) => sum + tallies[state], 0);
  return { done: tallies.verified + tallies.satisfied_skips - tallies.retired_done, expected: all - tallies.retired };
}
