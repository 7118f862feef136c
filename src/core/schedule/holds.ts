/** Holds: what keeps every attempt that draws on the same thing from starting, and the keys by which they are known. */

import type { HoldRow } from "../task/rows.ts";

/** What an agent works by, as the configuration has it. */
export interface Draws {
  /** Agents of one log-in share its limits. */
  account: string;
  /** Who runs the models; null: not known. */
  provider: string | null;
  /** Null: whichever the agent takes by itself. */
  model: string | null;
}

/** What a limit may be of. */
export const HELD_THINGS = ["agent", "account", "model", "provider"] as const;
export type HeldThing = (typeof HELD_THINGS)[number];

/** A hold in every project has this in the place of one. */
export const EVERY_PROJECT = "";

export function agentKey(agent: string): string {
  return `agent:${agent}`;
}

/** The keys of everything that an agent draws on beside itself. */
export function drawsOn({ account, provider, model }: Draws): string[] {
  return [
    `account:${account}`,
    ...(model === null ? [] : [modelKey(account, model)]),
    ...(provider === null ? [] : [`provider:${provider}`]),
  ];
}

/** The key that a limit of this thing holds. What is not known by name is held with the whole account. */
export function heldKey(thing: HeldThing, agent: string, { account, provider, model }: Draws): string {
  if (thing === "agent") return agentKey(agent);
  if (thing === "model" && model !== null) return modelKey(account, model);
  if (thing === "provider" && provider !== null) return `provider:${provider}`;
  return `account:${account}`;
}

/** One account may have used up a model that another has not. */
function modelKey(account: string, model: string): string {
  return `model:${account}/${model}`;
}

/** Names of agents are a project's own; accounts, models and providers are the same for every project of a store. */
export function holdScope(project: string, key: string): string {
  return key.startsWith("agent:") ? project : EVERY_PROJECT;
}

export function isHeld({ over, until }: HoldRow, now: number): boolean {
  return !over && (until === null || until > now);
}

/** Whose end opens the gate: the one without an end, else the last to end. */
export function longest(holds: readonly HoldRow[]): HoldRow | null {
  const endOf = ({ until }: HoldRow): number => until ?? Number.POSITIVE_INFINITY;
  return holds.reduce<HoldRow | null>((last, hold) => (last === null || endOf(hold) > endOf(last) ? hold : last), null);
}

/**
 * `account claude (of agents coder, second) is held: You've hit your limit (when it is over is a guess, from its words)`.
 * `agents` are those that draw on it, as far as they are known.
 */
export function heldText(hold: HoldRow, agents: readonly string[] = []): string {
  const guess = endText(hold, agents);
  const drawers = hold.key.startsWith("agent:") ? "" : drawersText(agents);
  return `${heldName(hold)}${drawers} is held: ${hold.why}${guess === "" ? "" : ` (${guess})`}`;
}

const NAMED_AT_MOST = 5;

function drawersText(agents: readonly string[]): string {
  if (agents.length === 0) return "";
  const more = agents.length > NAMED_AT_MOST ? ` and ${agents.length - NAMED_AT_MOST} more` : "";
  return ` (of ${agents.length === 1 ? "agent" : "agents"} ${agents.slice(0, NAMED_AT_MOST).join(", ")}${more})`;
}

/** `account claude`. */
export function heldName({ key }: Pick<HoldRow, "key">): string {
  return key.replace(":", " ");
}

/** What lifts a hold for good, once what it is for is mended. One of those that draw on it is enough: all are freed. */
export function releaseCommand(agents: readonly string[]): string {
  return `lockstep agent release ${agents[0] ?? "NAME"}`;
}

/** Nobody but its words, or nobody at all, says when it is over. */
export function isGuess({ known_from }: Pick<HoldRow, "known_from">): boolean {
  return known_from === "text" || known_from === "backoff";
}

/** What is to be said of when it ends: that it is a guess, or waits for a person; else nothing. */
function endText({ known_from }: HoldRow, agents: readonly string[]): string {
  if (known_from === "text") return "when it is over is read from its words: a guess";
  if (known_from === "person") return `until somebody has mended that and says \`${releaseCommand(agents)}\``;
  return known_from === "backoff" ? "when it is over is not known: a guess" : "";
}
