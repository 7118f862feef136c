/** Exit codes (spec, section 9). */

import type { RunOutcome } from "../core/task/rows.ts";

export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  needs_person: 3,
  tasks_failed: 5,
  parked: 75,
  timed_out: 124,
  interrupted: 130,
  terminated: 143,
} as const;

/** How a run ended, as whoever carried it out, followed or awaited it says so. */
export const EXIT_OF_RUN: Readonly<Record<RunOutcome, number>> = {
  done: EXIT.ok,
  failed: EXIT.tasks_failed,
  needs_person: EXIT.needs_person,
  parked: EXIT.parked,
  stopped: EXIT.ok,
};
