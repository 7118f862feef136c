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
