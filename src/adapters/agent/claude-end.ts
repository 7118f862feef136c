/** What an attempt by Claude Code came to, from what its stream said and how its process ended. Pure. */

import type { AgentEnd } from "../../ports/agent.ts";
import type { CheckEnd } from "../../ports/processes.ts";
import type { ClaudeResult } from "./claude-stream.ts";
import { cutOff, ended, flooded } from "./ended.ts";

/** What was heard until the process was gone. */
export interface ClaudeSaid {
  /** The first result: what follows it changes nothing. */
  result: ClaudeResult | null;
  /** It gave its result before anybody told it to end. */
  is_own: boolean;
  /** The limit that turned it away last. */
  limit: { resets_at: number | null } | null;
  /** It was ended because the service would not have it. */
  isRefused: boolean;
  /** The last lines that were no events: standard error mostly. */
  stray: string;
}

/** Too many requests, and overloaded: nobody's fault, and over by itself. */
const LIMIT_STATUSES: readonly (number | null)[] = [429, 529];
const AUTH_STATUSES: readonly (number | null)[] = [401, 403];

/**
 * A `result` that is a success is the only success; the exit code alone is none, for it is 0 after an interrupt as well.
 * Once there is a result, how the process ended changes nothing, except that an error which came of being stopped is the
 * stop's. One that hangs after its result is ended, too: that is no stop.
 */
export function claudeEnd({ result, is_own, limit, isRefused, stray }: ClaudeSaid, exit: CheckEnd): AgentEnd {
  if (result !== null) {
    const { usage, cost_usd } = result;
    const end = endOfResult(result, limit);
    const isStopped = end.outcome === "failed" && exit.outcome === "killed" && !is_own;
    return { ...(isStopped ? cutOff(stray, exit.forced) : end), usage, cost_usd };
  }
  const said = stray === "" ? "" : `: ${stray}`;
  if (isRefused) return ended("failed", NOT_LOGGED_IN);
  if (exit.outcome === "killed") return cutOff(stray, exit.forced);
  if (exit.outcome === "error") return ended("failed", `it could not be started: ${exit.tail.trim()}`);
  if (exit.flooded_at !== undefined) return ended("failed", flooded(exit.flooded_at));
  if (limit !== null) return limited(LIMIT_REACHED, limit);
  const how = exit.outcome === "green" ? "well" : `with ${exit.exit_code}`;
  return ended("failed", `it ended ${how}, but without a result${said}`);
}

const LIMIT_REACHED = "a usage limit is reached";
const NOT_LOGGED_IN = "the model's service does not accept its login: log it in, or give it a key";

function endOfResult(result: ClaudeResult, limit: ClaudeSaid["limit"]): AgentEnd {
  const { subtype, is_error, text, api_error_status } = result;
  if (subtype === "success" && !is_error) return ended("succeeded", null, text);
  const said = text === null ? "" : `: ${text}`;
  // A limit may have been passed by paying for more: then another error is its own.
  const isByLimit = limit !== null && api_error_status === null && subtype === "success";
  if (isByLimit || LIMIT_STATUSES.includes(api_error_status)) return limited(text ?? LIMIT_REACHED, limit);
  if (AUTH_STATUSES.includes(api_error_status)) return ended("failed", `${NOT_LOGGED_IN}${said}`);
  return ended("failed", `${REASONS[subtype] ?? `it ended with an error (${subtype})`}${said}`);
}

/** Plain words for what its results are called. */
const REASONS: Record<string, string | undefined> = {
  success: "it gave up",
  error_max_turns: "it used up its turns",
  error_max_budget_usd: "it used up its budget",
  error_during_execution: "it broke off",
};

function limited(error: string, limit: ClaudeSaid["limit"]): AgentEnd {
  return { ...ended("rate_limited", error), due_at: limit?.resets_at ?? null };
}
