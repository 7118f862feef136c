/** What was seen while a program was tried: all that its findings are made from. */

import type { AgentEnd, AgentEvent } from "../ports/agent.ts";
import type { Heard } from "./model/script.ts";

export interface TurnSeen {
  events: AgentEvent[];
  /** Null when it had not ended in time, and was ended. */
  end: AgentEnd | null;
  ms: number;
  /** It was ended because the whole trial had taken too long: what it lacks is no fault of its own. */
  isShort: boolean;
}

export interface Seen {
  /** A turn of words and tools to its end. */
  work: TurnSeen;
  /** One that goes on in the same conversation; null: there was none to go on with. */
  resumed: TurnSeen | null;
  /** One that is stopped while its tool runs. */
  stopped: TurnSeen;
  /** One whose account has reached a limit; null: it is not asked for. */
  limited: TurnSeen | null;
  /** What the model was asked, in order. */
  heard: Heard[];
  /** What the agent was told in its first turn. */
  prompt: string;
  /** The shell command that was allowed was carried out. */
  ran: boolean;
  /** Calls of tools that lockstep was asked about; whether the denied command was among them; whether it ran. */
  asked: number;
  deniedAsked: boolean;
  deniedRan: boolean;
  /** The server of tools was spoken to; what its tool was called with. */
  mcpReached: boolean;
  mcpWords: readonly string[];
  /** The tool of the stopped turn had begun. */
  atWork: boolean;
  /** Processes that were left by then. */
  leftovers: number;
}

export const WORDS = {
  first: "I begin.",
  last: "All is said.",
  resumed: "I go on.",
  echoed: "an echo",
} as const;

/** Names of the scripts. */
export const SCRIPTS = { work: "work", resumed: "goes-on", stopped: "waits", limited: "limited" } as const;

/** When the limit of the script is over, seconds since 1970: 17 March 2030. */
export const RESETS_AT = 1_900_000_000;

/** What each answer of the model is said to cost: no two buckets alike. */
export const TOLD = {
  input_tokens: 311,
  cache_creation_input_tokens: 23,
  cache_read_input_tokens: 2_003,
  output_tokens: 17,
} as const;

/** Answers of the model in the first turn: words with a call, two more calls, last words. */
export const WORK_ANSWERS = 4;
