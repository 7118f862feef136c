/** What an agent may do with its tools: rules of the configuration, and what one call comes to under them. */

/** What a tool does, whichever agent it belongs to and whatever that calls it. */
export const TOOL_KINDS = ["run", "write", "read", "fetch", "other"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** A call of a tool that an agent wants to make. */
export interface ToolCall {
  kind: ToolKind;
  /** The agent's own name of the tool. */
  tool: string;
  /** The whole command line, path or address; empty where it has none of them. */
  about: string;
}

/** The answer to a call. A reason is said to the agent where its protocol can carry one. */
export type Ruling = { allow: true } | { allow: false; reason: string };

/** What rules say of a call; `ask` leaves it to a person. */
export const VERDICTS = ["allow", "ask", "deny"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A rule is `kind(glob)`, or a glob of the agent's own names of its tools. */
export interface ToolRules {
  deny: readonly string[];
  ask: readonly string[];
  allow: readonly string[];
  /** Of what no rule applies to. */
  otherwise: Verdict;
}

/** Stands in the words of a command for what shows only when it runs, such as `$X`: any text, also none. */
export const UNKNOWN_TEXT = "\uFFFC";

/** A command line, taken apart by whoever can read it. */
export interface ShellLine {
  commands: ShellCommand[];
  /** What the line opens by itself. */
  openings: ShellOpening[];
  /** False: something in it is not known before it runs, or cannot be read. */
  isWhole: boolean;
}

/** One simple command, its words put together with single spaces; an assignment that stands alone is one as well. */
export interface ShellCommand {
  words: string;
  /** What it may be or start in its turn: the same by its program's bare name, or without the variables before it. */
  also: readonly string[];
}

/** The target of a redirection: what a call of a tool of this kind would be about. */
export interface ShellOpening {
  kind: "read" | "write" | "fetch";
  /** Null: it shows only when the line runs. */
  about: string | null;
}
