/** What an attempt by Claude Code came to, from what its stream said and how its process ended. Pure. */

import type { FailureKind } from "../../core/attempt/failure.ts";
import type { AgentEnd } from "../../ports/agent.ts";
import type { CheckEnd } from "../../ports/processes.ts";
import type { ClaudeUsed } from "./claude-meter.ts";
import type { ClaudeResult } from "./claude-stream.ts";
import { cutOff, ended, failed, flooded, turnedAway } from "./ended.ts";

/** What was heard until the process was gone. */
export interface ClaudeSaid {
  /** The first result: what follows it changes nothing. */
  result: ClaudeResult | null;
  /** What its results told of what was used. */
  used: ClaudeUsed;
  /** It gave its result before anybody told it to end. */
  is_own: boolean;
  /** The limit that turned it away last. */
  limit: { resets_at: number | null; kind: string | null } | null;
  /** The answer of its model broke off, as often as it asked again. */
  isCut: boolean;
  /** It was ended because of this: it would have tried on, and nothing would have changed. */
  givenUp?: { kind: "auth" | "limit" | "overload"; until: number | null } | null;
  /** Somebody told it to end before it had given its result. */
  isStopped?: boolean;
  /** The last lines that were no events: standard error mostly. */
  stray: string;
}

/** Nobody's fault, and over by itself: too many requests, and all that is the service's own trouble, 529 among it. */
const TOO_MANY = 429;
const SERVICE_FAILS = 500;
const AUTH_STATUSES: readonly (number | null)[] = [401, 403];

/**
 * A `result` that is a success is the only success; the exit code alone is none, for it is 0 after an interrupt as well.
 * Once there is a result, how the process ended changes nothing, except that an error which came of being stopped is the
 * stop's. One that hangs after its result is ended, too: that is no stop.
 */
export function claudeEnd(said: ClaudeSaid, exit: CheckEnd): AgentEnd {
  const { result, used, is_own, limit, isCut, givenUp = null, isStopped = false, stray } = said;
  if (result !== null) {
    const came = endOfResult(result, limit);
    // It takes half an answer for a whole one.
    const end = came.outcome === "succeeded" && isCut ? failed("cut", CUT) : came;
    const isStops = end.outcome === "failed" && (isStopped || (exit.outcome === "killed" && !is_own));
    const { usage, cost_usd } = used;
    // What works on after the result is not heard to its end.
    const partial = used.partial || exit.outcome === "killed";
    return { ...(isStops ? cutOff(stray, exit.forced) : end), usage, cost_usd, ...(partial ? { partial } : {}) };
  }
  if (givenUp !== null) return endOfGivenUp(givenUp, limit);
  if (exit.outcome === "killed" || isStopped) return cutOff(stray, exit.forced);
  if (exit.outcome === "error") return failed("crashed", `it could not be started: ${exit.tail.trim()}`);
  if (exit.flooded_at !== undefined) return failed("protocol", flooded(exit.flooded_at));
  if (limit !== null) return byLimit(LIMIT_REACHED, limit);
  const how = exit.outcome === "green" ? "well" : `with ${exit.exit_code}`;
  return failed("crashed", `it ended ${how}, but without a result${stray === "" ? "" : `: ${stray}`}`);
}

function endOfGivenUp({ kind, until }: NonNullable<ClaudeSaid["givenUp"]>, limit: ClaudeSaid["limit"]): AgentEnd {
  if (kind === "auth") return failed("auth", NOT_LOGGED_IN);
  if (kind === "overload") return turnedAway("overload", OVERLOADED_WORDS, until);
  if (limit !== null) return byLimit(LIMIT_REACHED, limit);
  return turnedAway("limit", TOO_MANY_WORDS, until, "account");
}

const CONNECTION_LOST = "connection_failed";
const CUT = "the answer of its model broke off each time that it asked";
const TOO_MANY_WORDS = "too many requests, and it was told so again and again";
const OVERLOADED_WORDS = "the model's service has too much to do";
const LIMIT_REACHED = "a usage limit is reached";
const NOT_LOGGED_IN = "the model's service does not accept its login: log it in, or give it a key";

function endOfResult(result: ClaudeResult, limit: ClaudeSaid["limit"]): AgentEnd {
  const { subtype, is_error, text, api_error_status } = result;
  if (subtype === "success" && !is_error) return ended("succeeded", null, text);
  const said = text === null ? "" : `: ${text}`;
  // A limit may have been passed by paying for more: then another error is its own.
  const isByLimit = limit !== null && api_error_status === null && subtype === "success";
  if (isByLimit || api_error_status === TOO_MANY) return byLimit(text ?? LIMIT_REACHED, limit);
  if (api_error_status !== null && api_error_status >= SERVICE_FAILS)
    return turnedAway("overload", text ?? `its service failed (${api_error_status})`, null);
  if (AUTH_STATUSES.includes(api_error_status)) return failed("auth", `${NOT_LOGGED_IN}${said}`);
  if (NO_CREDIT.test(text ?? "")) return failed("credit", text ?? "");
  if (result.api_error === CONNECTION_LOST) return failed("cut", `${CUT}${said}`);
  if (NO_ANSWER.test(text ?? "")) return failed("hung", text ?? "");
  const [kind, why] = REASONS[subtype] ?? ["gave_up", `it ended with an error (${subtype})`];
  return failed(kind, `${why}${said}`);
}

/** Plain words for what its results are called. */
const REASONS: Record<string, [FailureKind, string] | undefined> = {
  success: ["gave_up", "it gave up"],
  error_max_turns: ["turn_cap", "it used up its turns"],
  error_max_budget_usd: ["budget_cap", "it used up its budget"],
  error_during_execution: ["gave_up", "it broke off"],
};

/** Of an account that pays as it goes; the status of it is that of any bad request. */
const NO_CREDIT = /credit balance is too low/i;

/** Its service said nothing at all, as often as it asked. */
const NO_ANSWER = /^request timed out/i;

/** Its limits are the account's, some of one family of models alone. */
function byLimit(error: string, limit: ClaudeSaid["limit"]): AgentEnd {
  const of = OF_MODEL.test(limit?.kind ?? "") ? "model" : "account";
  return turnedAway("limit", error, limit?.resets_at ?? null, of);
}

/** `seven_day_opus`, beside `five_hour` and `seven_day`. */
const OF_MODEL = /_(?:opus|sonnet|haiku)$/;
