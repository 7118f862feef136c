import type { PlanRow } from "../core/task/rows.ts";

export interface RunRequest {
  plan: PlanRow;
  /** The agent of tasks that name none; null takes the configured default. */
  agent: string | null;
  tasksMax: number | null;
  budgetUsd: number | null;
  /** Attempts at once; null takes the configured number. */
  jobs?: number | null;
  /** How long to wait for something that comes due by itself; 0 ends parked at once. */
  maxWaitMs: number;
  /** Aborted: start nothing more, and end when what is live has ended. */
  stop: AbortSignal;
  /** Aborted: end what is live now. */
  kill: AbortSignal;
}
