/** What lockstep takes for granted of an agent's program, and how a program of a certain version was found to keep it. */

export const CLAUSES = ["stream", "stdin", "permission", "mcp", "usage", "resume", "stop", "limit"] as const;
export type Clause = (typeof CLAUSES)[number];

/** `not_asked`: this program, or what drives it, does not offer it. `not_seen`: what came before it broke. */
export type ClauseResult = "kept" | "broken" | "not_asked" | "not_seen";

export interface ClauseFinding {
  clause: Clause;
  result: ClauseResult;
  /** What was seen, in words. */
  seen: string;
}

/** One finding for each clause, in their order. */
export interface ProbeReport {
  clauses: ClauseFinding[];
  /** How long it took. */
  ms: number;
}

/** How the program of an agent stands before its first attempt. */
export type ProgramStanding =
  /** Nothing is known against it, or it is of a kind that is not tried. */
  | { state: "fit" }
  /** It is new here, or another than the one that was tried; `what` names it. */
  | { state: "untried"; what: string }
  /** It was tried and broke something, and nobody has let it start all the same. */
  | { state: "unfit"; why: string };

/** The programs of the configured agents, on this machine. Neither call rejects for what a program does. */
export interface AgentPrograms {
  /** False for an agent that is never tried: it may start at once. */
  isTried(agent: string): boolean;
  /** Asks the program for its version at most, and that only when its file has changed. */
  standing(agent: string): Promise<ProgramStanding>;
  /** Tries the program and remembers what came of it. Aborting ends it early: then it stays untried. */
  probe(agent: string, signal: AbortSignal): Promise<ProgramStanding>;
}
