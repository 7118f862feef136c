/** What each adapter can do with its agent. A row is what was seen of the real command line, not what it promises. */

export interface AgentCapabilities {
  /** A conversation is taken up again by another process. */
  resume: boolean;
  /** After an interrupt it goes on in its own conversation, with what a person said. */
  follow_up: boolean;
  /** It is asked in words to break its turn off, before signals end it. */
  interrupt: boolean;
  /** `live`: it waits for a ruling on what it asks leave for. */
  permission: "live" | "none";
  /** Its model is told why it may not do something. */
  deny_reason: boolean;
  /** It tells the tokens of an attempt. */
  usage: boolean;
  /** It tells what they cost. */
  cost: boolean;
  /** It tells which of them came from a cache. */
  cache_buckets: boolean;
  /** `typed`: a limit comes as data, with its end; `text`: in words. */
  limits: "typed" | "text" | "none";
  model: boolean;
  effort: boolean;
  system: boolean;
  mcp: boolean;
  /** `agent`: it keeps to it itself; `counted`: lockstep counts, and breaks it off. */
  turns_cap: "agent" | "counted" | "none";
  budget_cap: "agent" | "counted" | "none";
  /** It sums up its conversation when it is asked to. */
  compact: boolean;
}

const NOTHING: AgentCapabilities = {
  resume: false,
  follow_up: false,
  interrupt: false,
  permission: "none",
  deny_reason: false,
  usage: false,
  cost: false,
  cache_buckets: false,
  limits: "none",
  model: false,
  effort: false,
  system: false,
  mcp: false,
  turns_cap: "none",
  budget_cap: "none",
  compact: false,
};

/** What the protocol gives; which of it an agent has, it says itself. Its system prompt stands before the task. */
const ACP: AgentCapabilities = {
  ...NOTHING,
  resume: true,
  follow_up: true,
  interrupt: true,
  permission: "live",
  usage: true,
  cost: true,
  cache_buckets: true,
  limits: "text",
  model: true,
  effort: true,
  system: true,
  mcp: true,
  turns_cap: "counted",
  budget_cap: "counted",
};

const TABLE: Record<string, AgentCapabilities | undefined> = {
  command: { ...NOTHING, usage: true, cost: true, cache_buckets: true },
  scripted: { ...NOTHING, usage: true, cost: true, cache_buckets: true },
  none: NOTHING,
  claude: {
    ...ACP,
    deny_reason: true,
    limits: "typed",
    turns_cap: "agent",
    budget_cap: "agent",
    compact: true,
  },
  codex: { ...ACP, deny_reason: true, cost: false, limits: "typed", budget_cap: "none", compact: true },
  gemini: { ...ACP, cost: false, cache_buckets: false, effort: false, budget_cap: "none" },
  opencode: { ...ACP, deny_reason: true, limits: "typed", compact: true },
  // A no ends the turn of the next two, and the next prompt tells the reason.
  "opencode-acp": { ...ACP, deny_reason: true, usage: false, cache_buckets: false },
  "codex-acp": { ...ACP, deny_reason: true, cost: false, budget_cap: "none" },
  "claude-acp": { ...ACP, turns_cap: "agent" },
};

/** By the word that `adapter` is in the configuration; one that is not in the table speaks ACP. */
export function capabilitiesOf(adapter: string): AgentCapabilities {
  return (Object.hasOwn(TABLE, adapter) ? TABLE[adapter] : undefined) ?? ACP;
}
