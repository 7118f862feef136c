/** What a turn of OpenCode came to, from what its server told and how its process ended. Pure. */

import type { FailureKind } from "../../core/attempt/failure.ts";
import type { Usage } from "../../core/task/rows.ts";
import type { AgentEnd } from "../../ports/agent.ts";
import type { CheckEnd } from "../../ports/processes.ts";
import { cutOff, ended, failed, flooded, turnedAway } from "./ended.ts";
import type { OpenCodeFailure, OpenCodeFailureKind } from "./opencode-failure.ts";

/** How a turn ended. */
export type OpenCodeTurnEnd =
  /** It is idle. `finish`: why the last answer of the model ended; `failure`: what went wrong after it. */
  | { kind: "idle"; finish: string | null; failure: OpenCodeFailure | null }
  /** It would have tried on, and nothing would have changed. */
  | { kind: "given_up"; failure: OpenCodeFailure }
  | { kind: "capped"; cap: "turn_cap" | "budget_cap" }
  /** It cannot be done as it is configured; or its server does not do what is asked of it. */
  | { kind: "unfit" | "refused"; why: string }
  /** Its server did not begin to listen. */
  | { kind: "late" }
  /** Its server lives, but tells nothing any more. */
  | { kind: "lost"; why: string };

/** What was heard until its server was gone. */
export interface OpenCodeSaid {
  /** Null: none was heard of. */
  end: OpenCodeTurnEnd | null;
  /** The turn was over before anybody told it to end. */
  is_own: boolean;
  /** What it said last. */
  summary: string | null;
  usage: Usage | null;
  cost_usd: number | null;
  /** What its server printed last. */
  stray: string;
}

/**
 * A turn that comes to rest after an answer which ended with `stop`, and without an error since, is the only success. How
 * its server ended says nothing: it never ends by itself.
 */
export function openCodeEnd(said: OpenCodeSaid, exit: CheckEnd): AgentEnd {
  return { ...endOf(said, exit), usage: said.usage, cost_usd: said.cost_usd };
}

function endOf({ end, is_own, summary, stray }: OpenCodeSaid, exit: CheckEnd): AgentEnd {
  if (!is_own) return cutOff(stray, exit.forced);
  if (exit.outcome === "error") return failed("crashed", `it could not be started: ${exit.tail.trim()}`);
  if (exit.flooded_at !== undefined) return failed("protocol", flooded(exit.flooded_at));
  switch (end?.kind) {
    case "idle":
      return end.failure === null ? endOfAnswer(end.finish, summary) : endOfFailure(end.failure);
    case "given_up":
      return endOfFailure(end.failure);
    case "capped":
      return failed(end.cap, end.cap === "turn_cap" ? "it used up its turns" : "it used up its budget");
    case "unfit":
      return failed("refused_request", end.why);
    case "refused":
      return failed("protocol", end.why);
    case "late":
      return failed("hung", `its server did not begin to listen${after(stray)}`);
    case "lost":
      return failed("protocol", `its server tells nothing any more: ${end.why}`);
    case undefined: {
      const how = exit.outcome === "green" ? "well" : `with ${exit.exit_code}`;
      return failed("crashed", `its server ended ${how}, but its turn had not${after(stray)}`);
    }
  }
}

function endOfAnswer(finish: string | null, summary: string | null): AgentEnd {
  if (finish === "stop") return ended("succeeded", null, summary);
  const [kind, why] = FINISHES[finish ?? "none"] ?? ["cut", `the answer of its model broke off (${finish})`];
  return failed(kind, `${why}${after(summary ?? "")}`);
}

/** Plain words for why the last answer ended that was not the end of its work. */
const FINISHES: Record<string, [FailureKind, string] | undefined> = {
  "tool-calls": ["gave_up", "it stopped after it had used a tool"],
  length: ["budget_cap", "it used up its tokens"],
  "content-filter": ["refused_request", "the model's service refused to go on"],
  error: ["gave_up", "it gave up"],
  none: ["protocol", "its turn ended without an answer of its model"],
};

function endOfFailure({ kind, text, until }: OpenCodeFailure): AgentEnd {
  if (kind === null) return failed("gave_up", "its turn was broken off, and not by lockstep");
  if (kind === "limit" || kind === "overload") return turnedAway(kind, text, until);
  return failed(kind, `${REASONS[kind]}: ${text}`);
}

const REASONS: Record<Exclude<OpenCodeFailureKind, "limit" | "overload">, string> = {
  auth: "the model's service does not accept its login: run `opencode auth login`, or give it a key",
  credit: "nothing is left to pay with",
  refused_request: "the model's service refused its request",
  budget_cap: "it used up its tokens",
  cut: "the answer of its model broke off",
  gave_up: "it gave up",
};

function after(words: string): string {
  return words === "" ? "" : `: ${words}`;
}
