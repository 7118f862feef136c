/** What holds an attempt's agent: a process of its own that outlives the engine, or a function inside the engine. */

import type { AgentReport } from "../core/attempt/agent-report.ts";
import type { KeptSession } from "../core/attempt/resume-session.ts";
import type { ItemWait } from "../core/task/rows.ts";
import type { AgentEnd, AgentEvent, AgentSpec, Brief } from "./agent.ts";
import type { ProcessIdentity } from "./processes.ts";

/** The shape of all that a runner and an engine write for each other. */
export const SPOOL_PROTOCOL = 1;

/** An attempt, by the names that its mark and its spool carry. */
export interface AttemptName {
  /** The plan's id. */
  plan: string;
  task: string;
  slug: string;
  n: number;
}

/** What the agent asks a person. */
export interface AgentQuestion {
  question: string;
  /** Empty: the answer is a text. */
  options: string[];
  /** Taken when nobody answers in time; null waits for a person. */
  default: string | null;
  /** How long the agent does nothing else, and what comes then without an answer. Absent: it works on meanwhile. */
  wait?: { ms: number; then: ItemWait["then"] };
}

/**
 * What a runner tells, in its order. The engine applies each line of it once. Numbers below 1 are whoever follows the runner:
 * what it could not read.
 */
export type RunnerEvent = { n: number; at: number } & (
  | AgentEvent
  /** The agent is about to run its first instruction; null where the adapter starts no process. */
  | { type: "started"; runner: ProcessIdentity; agent: ProcessIdentity | null }
  | ({ type: "ask" } & AgentQuestion)
);

/** A `RunnerEvent` before it has a number. */
export type RunnerWord = RunnerEvent extends infer E ? (E extends RunnerEvent ? Omit<E, "n" | "at"> : never) : never;

/** What an engine asks of a live runner. */
export type RunnerControl =
  /** End the agent: it is settled as interrupted, unless it has ended by itself. At once: without a grace. */
  | { type: "stop"; why: string; at_once?: boolean }
  /** All the time that the agent may work, counted from its start, milliseconds. */
  | { type: "extend"; timeout_ms: number }
  /** End the agent's turn and let it go on with the message. Each number is obeyed once. */
  | { type: "interrupt"; number: number; message: string }
  /** End the agent's turn, have it sum up its conversation where it can, and let it go on. Each number is obeyed once. */
  | { type: "compact"; number: number }
  /**
   * All that the agent is to know as things stand, instead of what it was to know before. Each is said once, and no turn is
   * ended for it.
   */
  | { type: "notices"; messages: string[] }
  /** An answer to the question that stands in the line of that number. */
  | { type: "answer"; question: number; answer: string };

/** How a runner ended: what its agent said, or `lost` when nothing was left to tell. */
export type RunnerEnd = Omit<AgentEnd, "outcome"> & {
  outcome: AgentEnd["outcome"] | "lost";
  /** What the agent reported of its work; absent: it made no report. */
  report?: AgentReport;
};

export interface RunnerOrder {
  attempt: AttemptName;
  brief: Brief;
  sweep: string | null;
  /** The conversation that its agent goes on with, where the host finds it still there; absent: none. */
  resume?: KeptSession;
}

/** A runner that this engine or one before it started. */
export interface LiveRunner {
  /**
   * Tells every line from the first on, each after the one before has been taken, until the runner has ended; then how.
   * A line may have been told to an earlier engine. Null when `leave` aborts first: the runner then works on alone.
   */
  follow(tell: (event: RunnerEvent) => Promise<void>, leave: AbortSignal): Promise<RunnerEnd | null>;
  control(wish: RunnerControl): Promise<void>;
  /** Ends the runner itself, at once and without a word: for one that does not end its agent when it is asked to. */
  kill(): Promise<void>;
  /** It may still do something. */
  isAlive(): boolean;
  /** When it last signed, milliseconds since 1970: it lives, and waits to leave its end. Absent or null: it never did. */
  signedAt?(): number | null;
  /** It speaks another version of the spool than this engine reads: it is only waited for, and nobody takes its place. */
  isForeign(): boolean;
  /** Lets the runner know that an engine is there: one that hears of none for long ends its agent. */
  greet(): Promise<void>;
}

/** Starts the runners of one agent, each when the attempt's intent has been committed. */
export interface RunnerHost {
  start(order: RunnerOrder): Promise<LiveRunner>;
}

export interface Runners {
  /** The host of an agent by its configured name; null when none is configured by it. */
  host(agent: string | null): RunnerHost | null;
  /**
   * The runner of an attempt, alive or with what it left. Null when none was ever started: then none of it can start any
   * more, not even one that was on its way.
   */
  adopt(attempt: AttemptName): Promise<LiveRunner | null>;
  /** Removes the temporary files of an attempt of which nothing lives any more, and those that hold secrets. */
  leavePlace(attempt: AttemptName): Promise<void>;
}

/** What a runner is told beside the brief; its environment is what it was started with. */
export interface Launch {
  protocol: typeof SPOOL_PROTOCOL;
  attempt: AttemptName;
  agent: AgentSpec;
  /** How long it works without hearing from an engine, milliseconds. */
  orphan_ms: number;
  /** How long a question waits for its answer before the agent is ended, milliseconds. */
  ask_wait_ms: number;
  watch: Watch;
  /** Absolute path of what the attempt has for itself alone: nothing that works there outlives its agent. */
  sweep: string | null;
  /** Absent in the spool of an older engine: the agent has no place of its own then. */
  isolation?: Isolation;
  /** The conversation that its agent goes on with; absent: none. */
  resume?: Resumption;
}

/** A conversation of an earlier attempt; or why there is no way back to it. */
export type Resumption = KeptSession | { attempt: number; lost: string };

/** What an attempt's agent has for itself, and what it sees of the user's. All paths are absolute. */
export interface Isolation {
  /** Null: it works in the user's home. */
  home: OwnHome | null;
  /** Its temporary directory, gone with the attempt; null: the machine's. */
  temporary: string | null;
  /** Names in its environment whose values are never written. */
  secrets: string[];
  /** Of the user's home: what it may read in its sandbox beside what its home shares. Null: it has none. */
  sandbox: { hidden: string[]; readable: string[]; network: boolean } | null;
}

export interface OwnHome {
  /** The same for all attempts of a task by one agent, so that a conversation can be taken up again. */
  dir: string;
  shares: HomeShare[];
  /** The user's own settings of git, those that count most last. */
  git: string[];
}

/** `to` is below the home. `fields` are the keys that are taken of a JSON file. */
export type HomeShare =
  | { from: string; to: string; how: "link" | "copy" }
  | { from: string; to: string; how: "fields"; fields: string[] };

/** When an agent that still has time is given up. Null: never. */
export interface Watch {
  /** It has neither printed nor said anything since its start, milliseconds. */
  first_output_ms: number | null;
  /** It has neither printed nor said anything for so long, and no tool of it is running, milliseconds. */
  silence_ms: number | null;
}

/** A runner's own side of its spool: all that it knows and all that it leaves. */
export interface RunnerSpool {
  /** Makes the attempt this runner's. False when it is another's, or was given up before this one came. */
  claim(runner: ProcessIdentity): boolean;
  launch(): Launch;
  brief(): Brief;
  briefFile: string;
  logFile: string;
  /** Appends a line and answers its number. */
  tell(word: RunnerWord): number;
  /** Calls for each wish of an engine, from the first on. `close` ends that. */
  controls(hear: (wish: RunnerControl) => void): { close(): void };
  /** When an engine was last heard, milliseconds since 1970; null when the spool is gone, and with it whoever could settle the attempt. */
  heardAt(): number | null;
  /** How much the agent has printed until now, bytes. */
  outputBytes(): number;
  /** Leaves the end for whoever settles the attempt: durable when this returns. */
  end(end: RunnerEnd): void;
  /** Shows that it lives though it can leave nothing: it takes no space. */
  sign(): void;
}
