/** What the counters of a plan and of a task's dependants must do when the task changes. */

import type { TaskState } from "./moves.ts";
import type { TaskRow } from "./rows.ts";

/** Ended for good without being satisfied: its dependants cannot start unless somebody acts. */
export function isDead({ state, satisfied }: { state: TaskState; satisfied: boolean }): boolean {
  return !satisfied && (state === "failed" || state === "skipped" || state === "cancelled");
}

/** Under way: nothing that may overlap with it starts (spec, section 3.9). */
export function isUnderway({ state, unlanded }: { state: TaskState; unlanded: boolean }): boolean {
  return state === "in_progress" || state === "claimed_done" || (state === "pending" && unlanded);
}

/** What a plan counts beside its states: satisfied skips count as done, retired tasks no longer count, done or not. */
export type Tally = TaskState | "satisfied_skips" | "retired" | "retired_done";

export interface Movement {
  /** Changes of the plan's tallies; absent means none. */
  tallies: Partial<Record<Tally, number>>;
  /** Changes of the counters of every dependant. */
  dependants: { unmet: number; dead: number };
}

/** How the counters move between two versions of one task; `before` is null when it is new. */
export function movement(before: TaskRow | null, after: TaskRow): Movement {
  const tallies: Partial<Record<Tally, number>> = {};
  const count = (tally: Tally, by: number): void => {
    const sum = (tallies[tally] ?? 0) + by;
    if (sum === 0) delete tallies[tally];
    else tallies[tally] = sum;
  };
  for (const tally of before ? talliesOf(before) : []) count(tally, -1);
  for (const tally of talliesOf(after)) count(tally, 1);
  const unmet = Number(before?.satisfied ?? false) - Number(after.satisfied);
  const dead = Number(isDead(after)) - Number(before !== null && isDead(before));
  return { tallies, dependants: { unmet, dead } };
}

function talliesOf(task: TaskRow): Tally[] {
  const tallies: Tally[] = [task.state];
  if (task.state === "skipped" && task.satisfied) tallies.push("satisfied_skips");
  if (task.retired) tallies.push("retired");
  if (task.retired && task.satisfied) tallies.push("retired_done");
  return tallies;
}
