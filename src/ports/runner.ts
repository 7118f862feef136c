/** What holds an attempt's agent: a process of its own that outlives the engine, or a function inside the engine. */

import type { AgentEnd, AgentEvent, Brief } from "./agent.ts";
import type { ProcessIdentity } from "./processes.ts";

/** The shape of everything that a runner and an engine write for each other. An engine reads this one and the one before. */
export const SPOOL_PROTOCOL = 1;

/** An attempt, by the names that its mark and its spool carry. */
export interface AttemptName {
  plan: string;
  /** The task's id, and its slug. */
  task: string;
  slug: string;
  n: number;
}

/** One line of `events.jsonl`. The engine applies each number once. */
export type RunnerEvent = { n: number; at: number } & (
  | AgentEvent
  /** The runner lives; `agent` is null where the adapter starts no process. */
  | { type: "started"; runner: ProcessIdentity; agent: ProcessIdentity | null }
  | RunnerQuestion
);

/** The agent asks a person. */
export interface RunnerQuestion {
  type: "ask";
  question: string;
  options: string[];
  /** Taken when nobody answers in time; null waits. */
  default: string | null;
}

/** One line of `control.jsonl`. */
export type RunnerControl =
  /** End the agent: it is settled as interrupted unless it has ended already. */
  | { type: "stop"; why: string }
  /** An answer to the attempt's question, by the number of its line. */
  | { type: "answer"; question: number; option: string; text: string | null };

/** How a runner ended: what its agent said, or that nothing was left to tell. */
export type RunnerEnd = Omit<AgentEnd, "outcome"> & { outcome: AgentEnd["outcome"] | "lost" };

export interface RunnerOrder {
  attempt: AttemptName;
  brief: Brief;
}

/** A runner that was started, by this engine or by one before it. */
export interface LiveRunner {
  /**
   * Tells every line from the first, each after the one before has been taken, until the runner has ended; then how. A
   * line may have been told to an earlier engine. `engaged` says now and then that an engine is alive.
   */
  follow(tell: (event: RunnerEvent) => Promise<void>): Promise<RunnerEnd>;
  control(wish: RunnerControl): Promise<void>;
  /** Lets the runner know that an engine is there. */
  greet(): Promise<void>;
}

/** Starts the runners of one agent. */
export interface RunnerHost {
  /** The attempt's intent has been committed. Never rejects for what the agent did. */
  start(order: RunnerOrder): Promise<LiveRunner>;
}

/** Finds what earlier engines started. */
export interface Runners {
  /** The host of an agent by its configured name; null when there is none of that name. */
  host(agent: string | null): RunnerHost | null;
  /**
   * The runner of an attempt, alive or with what it left; null when none was ever started, and then none of it can start
   * any more.
   */
  adopt(attempt: AttemptName): Promise<LiveRunner | null>;
}
