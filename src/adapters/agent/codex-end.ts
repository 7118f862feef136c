/** What an attempt by Codex came to, from what its conversation said and how its process ended. Pure. */

import type { FailureKind } from "../../core/attempt/failure.ts";
import type { Usage } from "../../core/task/rows.ts";
import type { AgentEnd } from "../../ports/agent.ts";
import type { CheckEnd } from "../../ports/processes.ts";
import type { CodexFailure } from "./codex-failure.ts";
import type { CodexTurnEnd, CodexWindow } from "./codex-stream.ts";
import { cutOff, ended, failed, flooded, turnedAway } from "./ended.ts";

/** What was heard until the process was gone. */
export interface CodexSaid {
  /** The end of its turn; what follows it changes nothing. */
  end: CodexTurnEnd | null;
  /** Nobody had told it to end before it did. */
  is_own: boolean;
  /** What it said last. */
  summary: string | null;
  /** It was ended because of this: it would have tried on, and nothing would have changed. */
  givenUp: CodexFailure | null;
  /** A request of ours that it refused before its turn began, and why. */
  refused: string | null;
  /** The account's windows, as it told of them last. */
  windows: CodexWindow[];
  usage: Usage | null;
  /** The last lines that were no messages: standard error. */
  stray: string;
}

/** Of a window that is used up. */
const FULL_PERCENT = 100;

/**
 * A turn that is `completed` without an error is the only success; the exit code is none, for it is 0 whenever its
 * standard input ends. Once its turn has ended, how the process ended changes nothing, except that a failure which came of
 * being stopped is the stop's.
 */
export function codexEnd(said: CodexSaid, exit: CheckEnd): AgentEnd {
  return { ...endOf(said, exit), usage: said.usage, cost_usd: null };
}

function endOf(said: CodexSaid, exit: CheckEnd): AgentEnd {
  const { end, is_own, givenUp, refused, stray } = said;
  if (end !== null) {
    const came = endOfTurn(end, said);
    return came.outcome === "failed" && !is_own ? cutOff("", exit.forced) : came;
  }
  if (givenUp !== null && is_own) return endOfFailure(givenUp, said.windows);
  if (!is_own) return cutOff(stray, exit.forced);
  if (exit.outcome === "error") return failed("crashed", `it could not be started: ${exit.tail.trim()}`);
  if (refused !== null) return failed("protocol", `it did not begin: ${refused}`);
  if (exit.flooded_at !== undefined) return failed("protocol", flooded(exit.flooded_at));
  const how = exit.outcome === "green" ? "well" : `with ${exit.exit_code}`;
  return failed("crashed", `it ended ${how}, but without an end of its turn${stray === "" ? "" : `: ${stray}`}`);
}

function endOfTurn({ status, failure, summary }: CodexTurnEnd, said: CodexSaid): AgentEnd {
  if (failure !== null) return endOfFailure(failure, said.windows);
  if (status === "completed") return ended("succeeded", null, summary ?? said.summary);
  if (status === "interrupted") return failed("gave_up", "its turn was broken off, and not by lockstep");
  return failed("protocol", `its turn ended with neither success nor reason (${status})`);
}

function endOfFailure({ kind, text }: CodexFailure, windows: CodexWindow[]): AgentEnd {
  if (kind === "limit" || kind === "overload") return turnedAway(kind, text, resetOf(windows));
  const [failure, why] = REASONS[kind];
  return failed(failure, `${why}: ${text}`);
}

const REASONS: Record<Exclude<CodexFailure["kind"], "limit" | "overload">, [FailureKind, string]> = {
  login: ["auth", "the model's service does not accept its login: run `codex login`, or give it a key"],
  credit: ["credit", "nothing is left to pay with"],
  context: ["refused_request", "its conversation is too long for the model"],
  budget: ["budget_cap", "it used up its budget"],
  turns: ["turn_cap", "it used up its turns"],
  request: ["refused_request", "the model's service refused its request"],
  policy: ["refused_request", "the model's service does not do this work"],
  cut: ["cut", "the answer of its model broke off"],
  other: ["gave_up", "it gave up"],
};

/** It may go on when the last of the windows that are used up begins anew; null where that is not known. */
export function resetOf(windows: CodexWindow[]): number | null {
  const resets = windows.filter(({ used_percent }) => used_percent >= FULL_PERCENT).map(({ resets_at }) => resets_at);
  const known = resets.filter((at) => at !== null);
  return known.length > 0 && known.length === resets.length ? Math.max(...known) : null;
}
