/** What a turn over the Agent Client Protocol came to, from how the talk and how the process ended. Pure. */

import type { FailureKind } from "../../core/attempt/failure.ts";
import { plus } from "../../core/policy/cost.ts";
import type { Usage } from "../../core/task/rows.ts";
import type { AgentEnd } from "../../ports/agent.ts";
import type { CheckEnd } from "../../ports/processes.ts";
import type { AcpTurnEnd } from "./acp-conversation.ts";
import { acpTrouble } from "./acp-error.ts";
import type { AcpError } from "./acp-message.ts";
import { acpUsage } from "./acp-usage.ts";
import { cutOff, ended, failed, flooded, turnedAway } from "./ended.ts";
import { plainText, shortText } from "./plain-text.ts";
import { text } from "./wire-fields.ts";

/** What was heard until the process was gone. */
export interface AcpSaid {
  turn: AcpTurnEnd;
  /** The turn was over before anybody told it to end. */
  is_own: boolean;
  /** What it used up, and was ended for. */
  capped?: { kind: "turn_cap" | "budget_cap"; error: string } | null;
  /** The no after which it said nothing any more, though it was told the reason again and again. */
  refused?: string | null;
  /** Its last message. */
  summary: string | null;
  cost_usd: number | null;
  /** The last lines that were no messages: standard error mostly. */
  stray: string;
}

/**
 * A prompt that is answered with `end_turn` is the only success. The exit code says nothing: most agents have to be ended,
 * and some exit with 0 when they broke off. `now`: milliseconds since 1970.
 */
export function acpEnd(said: AcpSaid, exit: CheckEnd, now: number): AgentEnd {
  const { turn, cost_usd } = said;
  const usage = usageOf(turn);
  const end = endOf(said, exit, now);
  return { ...end, usage, cost_usd };
}

/** Of all prompts of the turn; null where one of them does not tell. */
export function usageOf(turn: AcpTurnEnd): Usage | null {
  if (turn.kind !== "answered") return null;
  const used = [...turn.earlier, turn.result].map((result) => acpUsage(result, turn.name));
  return used.reduce((sum, one) => (sum === null || one === null ? null : plus(sum, one)));
}

function endOf(
  { turn, is_own, capped = null, refused = null, summary, stray }: AcpSaid,
  exit: CheckEnd,
  now: number,
): AgentEnd {
  if (exit.outcome === "error") return failed("crashed", `it could not be started: ${exit.tail.trim()}`);
  if (capped !== null && is_own) return failed(capped.kind, capped.error);
  // One that answered after it was told to end has said all there is to say: what else it printed is no reason.
  if (!is_own && turn.kind === "answered") return cutOff("", exit.forced);
  if (!is_own && (exit.outcome === "killed" || turn.kind !== "gone")) return cutOff(stray, exit.forced);
  switch (turn.kind) {
    case "answered":
      if (refused !== null)
        return failed("refused_permission", `it does not go on without what it may not do: ${refused}`);
      return endOfAnswer(text(turn.result["stopReason"]), summary);
    case "error":
      return endOfError(turn.error, turn.method, now);
    case "unfit":
      return failed("protocol", turn.problem);
    case "late":
      return failed("hung", `it did not answer ${turn.method}${after(stray)}`);
    case "stopped":
      return cutOff(stray, exit.forced);
    case "gone": {
      if (exit.outcome === "killed") return cutOff(stray, exit.forced);
      if (exit.flooded_at !== undefined) return failed("protocol", flooded(exit.flooded_at));
      const how = exit.outcome === "green" ? "well" : `with ${exit.exit_code}`;
      return failed("crashed", `it ended ${how}, but without an answer to its prompt${after(stray)}`);
    }
  }
}

function endOfAnswer(reason: string | null, summary: string | null): AgentEnd {
  if (reason === "end_turn") return ended("succeeded", null, summary);
  const [kind, why] = REASONS[reason ?? ""] ?? [
    "protocol",
    `it stopped for a reason that is not known (${shortText(reason ?? "none")})`,
  ];
  return failed(kind, `${why}${after(summary ?? "")}`);
}

/** Plain words for why a turn may stop. */
const REASONS: Record<string, [FailureKind, string] | undefined> = {
  max_tokens: ["budget_cap", "it used up its tokens"],
  max_turn_requests: ["turn_cap", "it used up its requests to the model"],
  refusal: ["refused_request", "the model refused to go on"],
  cancelled: ["gave_up", "it broke its turn off, though nobody told it to"],
};

function endOfError(error: AcpError, method: string, now: number): AgentEnd {
  const message = plainText(error.message.trim());
  const trouble = acpTrouble(error, now);
  switch (trouble.kind) {
    case "limit":
    case "overload":
      return turnedAway(trouble.kind, message, trouble.until);
    case "auth":
      return failed("auth", `${NOT_LOGGED_IN}: ${message}`);
    case "credit":
      return failed("credit", message);
    case "turn_cap":
      return failed("turn_cap", message);
    case "cut":
      return failed("cut", `the answer of its model broke off: ${message}`);
    case "other":
      return failed("gave_up", method === "session/prompt" ? message : `${method}: ${message}`);
  }
}

const NOT_LOGGED_IN = "the model's service does not accept its login: log it in, or give it a key";

function after(words: string): string {
  return words === "" ? "" : `: ${words}`;
}
