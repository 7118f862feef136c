/** Wishes about runs, and about holds, which bind every run. */

import type { RunOutcome } from "../rows.ts";

export interface RunStart {
  type: "run.start";
  plan: string;
  id: string;
  jobs: number;
  tasks_max: number | null;
  budget_usd: number | null;
}

export interface RunPause {
  type: "run.pause";
  plan: string;
  /** Why everything has to be killed at once: the run does not wait for what is live. Absent: a pause with grace. */
  panic?: string;
}

export interface RunResume {
  type: "run.resume";
  plan: string;
  /** The new limit on attempts, counted from the run's beginning; null is none. */
  tasks_max: number | null;
}

export interface RunStop {
  type: "run.stop";
  plan: string;
  why: string;
}

export interface RunEnd {
  type: "run.end";
  plan: string;
  id: string;
  outcome: RunOutcome;
}

export interface HoldSet {
  type: "hold.set";
  project: string;
  key: string;
  until: number | null;
  why: string;
  /** It is an engine's own, for as long as it tries the agent. */
  known_from?: "trial" | null;
}

export interface HoldClear {
  type: "hold.clear";
  project: string;
  key: string;
}

/** Clears a hold whose time has come; one that was extended meanwhile stays. */
export interface HoldExpire {
  type: "hold.expire";
  project: string;
  key: string;
}
