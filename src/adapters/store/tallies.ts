import type { Tally } from "../../core/task/counters.ts";
import { TASK_STATES } from "../../core/task/moves.ts";

/** Everything that a plan counts. */
export const TALLIES: readonly Tally[] = [...TASK_STATES, "satisfied_skips", "retired", "retired_done"];

export function noTallies(): Record<Tally, number> {
  return Object.fromEntries(TALLIES.map((tally) => [tally, 0])) as Record<Tally, number>;
}
