/** Kinds of failure of an agent, whichever agent it is, and what to do about each. */

export const FAILURE_KINDS = [
  /** The service does not accept the login. */
  "auth",
  /** The account, or one of its models, has used up what it may use for now. */
  "limit",
  /** The service has too much to do. */
  "overload",
  /** Nothing is left that could pay. */
  "credit",
  /** As many turns, or as much money, as one attempt may take. */
  "turn_cap",
  "budget_cap",
  /** It was not allowed what it needed. */
  "refused_permission",
  /** The service will not have the request: no such model, too long a conversation, work that it does not do. */
  "refused_request",
  /** Its process ended, or could not be started, without an end of its work. */
  "crashed",
  /** It said nothing for too long, or its time was up. */
  "hung",
  /** The answer of its model broke off. */
  "cut",
  /** What it says is not what this version of lockstep understands. */
  "protocol",
  /** It says itself that it failed. */
  "gave_up",
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** What no other try can mend: it fails every attempt by the same login until somebody has done something about it. */
export function needsPerson(kind: FailureKind | null | undefined): kind is "auth" | "credit" {
  return kind === "auth" || kind === "credit";
}

const NEXT: Record<FailureKind, string> = {
  auth: "log it in, or give it a key, then `lockstep agent release NAME`",
  limit: "nothing: it goes on by itself when the limit is over",
  overload: "nothing: it goes on by itself after a while",
  credit: "pay for more, then `lockstep agent release NAME`",
  turn_cap: "give it more turns, or make the task smaller",
  budget_cap: "give it more money, or make the task smaller",
  refused_permission: "allow what it was refused, or say in the task how to do without",
  refused_request: "look at its model and its settings",
  crashed: "look at its last words: `lockstep logs`",
  hung: "look at its last words: `lockstep logs`; give it more time if it needs that",
  cut: "nothing, unless it happens again: then look at the network",
  protocol: "check it with `lockstep doctor --agents`",
  gave_up: "read why, and change the task",
};

/** What a person does next about an attempt of this agent that failed so; null: its agent is not known by name. */
export function nextStep(kind: FailureKind, agent: string | null): string {
  return agent === null ? NEXT[kind] : NEXT[kind].replace("NAME", () => agent);
}
