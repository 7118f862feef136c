/** How a run ends, by first match (spec, section 2). */

import type { Tally } from "../task/counters.ts";
import type { RunOutcome, RunState } from "../task/rows.ts";

export interface RunStanding {
  state: RunState;
  tallies: Record<Tally, number>;
  open_items: number;
  /** Something will come due by itself, later than the run waits for. */
  due_later: boolean;
  /** A ready task that only a person can let start: the workspace, the disk or the budget holds it. */
  held_by_person: boolean;
}

export function runOutcome({ state, tallies, open_items, due_later, held_by_person }: RunStanding): RunOutcome {
  if (state === "stopping") return "stopped";
  if (open_items > 0 || tallies.blocked > 0 || held_by_person) return "needs_person";
  if (due_later) return "parked";
  if (tallies.failed > 0 || tallies.pending > 0) return "failed";
  return "done";
}
