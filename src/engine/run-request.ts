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
  /** Stay when nothing is left that could change by itself: a person may load, retry or answer something. */
  stay?: boolean;
  /** Told whenever the run begins to wait for others or for a time, and whenever what it waits for changes. */
  onWait?: (wait: RunWait) => void;
  /** Told before it looks after what an engine left under way: so many attempts, of whatever plan. It takes a while. */
  onAdopt?: (attempts: number) => void;
  /** Told once when the store fails in a way that may pass, and the run waits for that. */
  onTrouble?: (message: string) => void;
  /**
   * Carry on this live run as it stands, and begin no other: its limits hold, a paused one stays paused, one that is
   * stopping is ended. Absent: begin a run, or let the live one go on.
   */
  carryOn?: string;
  /** Aborted: start nothing more, and end when what is live has ended. */
  stop: AbortSignal;
  /** Aborted: end what is live now. */
  kill: AbortSignal;
}

/** What a run waits for that is not its own doing. */
export interface RunWait {
  /** Tasks that others have in hand: external workers, or another process that checks and lands. */
  others: number;
  /** Landings that the machine refused, and that are tried again at their time. */
  put_off: number;
  /** What stands in the inbox: open items, and what is held until a person comes. */
  items: number;
  /** When something comes due by itself, milliseconds since 1970; null: nothing does. */
  until: number | null;
  /** What there is too little of for anything to start, in words; null: there is enough. */
  space: string | null;
  /** Nothing is left that could change by itself: it stays because it was asked to. */
  idle: boolean;
}
