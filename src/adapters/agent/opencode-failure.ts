/** Why OpenCode could not go on, from what it tells of an error or of a retry. Pure. */

import type { FailureKind } from "../../core/attempt/failure.ts";
import { plainText } from "./plain-text.ts";
import { type Fields, fieldsOfLine, number, object, text } from "./wire-fields.ts";

export type OpenCodeFailureKind = Extract<
  FailureKind,
  "auth" | "limit" | "overload" | "credit" | "refused_request" | "budget_cap" | "cut" | "gave_up"
>;

export interface OpenCodeFailure {
  /** Null: it was broken off from outside. */
  kind: OpenCodeFailureKind | null;
  text: string;
  /** When a limit is over, milliseconds since 1970, where that is told. */
  until: number | null;
}

/** Errors that it has names for; `APIError` and `UnknownError` are of any kind. */
const NAMES: Record<string, OpenCodeFailureKind | undefined> = {
  ProviderAuthError: "auth",
  ContextOverflowError: "refused_request",
  ContentFilterError: "refused_request",
  MessageOutputLengthError: "budget_cap",
};

const CREDIT =
  /credit balance|insufficient.?(?:quota|credit|funds|balance)|billing|payment required|no payment method/i;
const AUTH =
  /\b401\b|unauthori[sz]ed|unauthenticated|(?:invalid|incorrect|missing|expired).{0,20}(?:api.?key|token|credential)|not logged in|authentication/i;
const LIMIT =
  /(?:usage|plan|daily|weekly|monthly|session|hour).{0,20}(?:limit|quota)|(?<!\brate[ _-])limit (?:has been |was )?(?:reached|hit)|quota|free usage exceeded|resource.?exhausted/i;
const OVERLOAD =
  /overloaded|at capacity|too many requests|rate.?limit|rate increased|service.?unavailable|(?:internal|server).?error|\b(?:429|50\d|529)\b/i;
const REQUEST = /model not found|no such model|does not exist|not supported|invalid request|bad request/i;
const CUT =
  /terminated|socket|connection|network.?error|fetch failed|failed to fetch|econn|enotfound|eai_again|time(?:d )?.?out|stream/i;

/** Of `session.error` and of a message. `now`: milliseconds since 1970. */
export function openCodeError(error: Fields, now: number): OpenCodeFailure {
  const name = text(error["name"]) ?? "";
  const data = object(error["data"]);
  const said = wordsOf(text(data["message"]) ?? name);
  if (name === "MessageAbortedError") return { kind: null, text: said, until: null };
  const named = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  const body = fieldsOfLine(text(data["responseBody"]) ?? "") ?? {};
  const kind = named ?? kindOf(number(data["statusCode"]), `${said} ${typesOf(body)}`);
  return { kind, text: said, until: resetOf(body, object(data["responseHeaders"]), now) };
}

/** What it tries again for ever so long may be over only after that: a service that says when is believed. */
const SOON_MS = 60_000;

/** Of the status `retry`. A retry that comes no sooner than in a minute is a limit, until then. */
export function openCodeRetry(status: Fields, now: number): OpenCodeFailure & { is_late: boolean } {
  const said = wordsOf(text(status["message"]) ?? "it does not say why");
  const next = number(status["next"]);
  const is_late = next !== null && next > now + SOON_MS;
  const isLimit = is_late || LIMIT_REASON.test(text(object(status["action"])["reason"]) ?? "");
  const byWords = kindOf(null, said);
  const kind = isLimit && byWords !== "credit" && byWords !== "auth" ? "limit" : byWords;
  return { kind, text: said, until: is_late && next !== null ? Math.ceil(next) : null, is_late };
}

const LIMIT_REASON = /limit/i;

function kindOf(status: number | null, said: string): OpenCodeFailureKind {
  if (status === 402 || CREDIT.test(said)) return "credit";
  if (status === 401 || status === 403) return "auth";
  if (status === 429) return "limit";
  if (status !== null && status >= 500) return "overload";
  if (status !== null && status >= 400) return "refused_request";
  if (AUTH.test(said)) return "auth";
  if (LIMIT.test(said)) return "limit";
  if (OVERLOAD.test(said)) return "overload";
  if (REQUEST.test(said)) return "refused_request";
  return CUT.test(said) ? "cut" : "gave_up";
}

/** An error that it did not expect comes with the stack of its program. */
function wordsOf(said: string): string {
  return plainText(said.split(/\n\s+at /)[0]!.trim());
}

/** `{"error":{"type":"insufficient_quota","code":"…"}}`. */
function typesOf(body: Fields): string {
  const error = object(body["error"]);
  return [error["type"], error["code"]].filter((word) => typeof word === "string").join(" ");
}

const MONTH_S = 31 * 86_400;

function resetOf(body: Fields, headers: Fields, now: number): number | null {
  const error = { ...body, ...object(body["error"]) };
  const at = number(error["resets_at"]);
  // Seconds since 1970, of this century: anything else is no time that could be waited for.
  if (at !== null && at > 946_684_800 && at < 4_102_444_800) return Math.ceil(at * 1_000);
  const waits = [number(error["resets_in_seconds"]), Number(text(headers["retry-after"]) ?? Number.NaN)];
  const seconds = waits.find((wait) => wait !== null && wait >= 0 && wait < MONTH_S);
  return seconds == null ? null : now + Math.ceil(seconds * 1_000);
}
