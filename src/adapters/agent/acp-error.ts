/** What an error of an agent means: its protocol has no words for limits and logins, so each agent has its own. Pure. */

import type { AcpError } from "./acp-message.ts";
import { list, number, object } from "./wire-fields.ts";

export type AcpTrouble =
  /** Over by itself, at `until` (milliseconds since 1970) where it says so. An overload is nobody's limit. */
  | { kind: "limit" | "overload"; until: number | null }
  /** Not logged in, or its login is not accepted; nothing left to pay with; all its turns had; its model's answer broke off. */
  | { kind: "auth" | "credit" | "turn_cap" | "cut" | "other" };

/** Too many requests. */
const LIMIT_CODES: readonly (number | null)[] = [429];
const OVERLOAD_CODES: readonly (number | null)[] = [500, 502, 503, 504, 529];
const AUTH_CODES: readonly (number | null)[] = [401, 403];

/** The protocol's own code for "log in first"; some take it for anything. */
const AUTH_REQUIRED = -32_000;

const LIMIT_KINDS = /^(?:rate_?limit|usage_?limit)/i;
const OVERLOAD_KINDS = /^(?:server_?)?overloaded/i;
const AUTH_KINDS = /^(?:auth|unauthori[sz]ed)/i;
const LIMIT_WORDS = /rate.?limit|too many requests|quota|usage limit|resources? (?:has been |is )?exhausted|\b429\b/i;
const OVERLOAD_WORDS = /overloaded|\b(?:503|529)\b/i;
const CREDIT_WORDS = /credit balance|insufficient.?(?:quota|credit|funds|balance)/i;
/** Before any code: Gemini CLI has one of a failing service for it. */
const CUT_WORDS =
  /^terminated$|stream (?:disconnected|ended|closed)|connection (?:to the API )?(?:was )?(?:lost|reset|closed)|ECONNRESET|socket hang up|fetch failed/i;
const TURN_WORDS = /maximum number of turns|max.?turns|turn limit/i;
const AUTH_WORDS =
  /\b(?:401|403)\b|unauthori[sz]ed|unauthenticated|authenticat|api.?key|logged in|log ?in\b|credential/i;

/** Its kinds and codes come before its words. `now`: milliseconds since 1970. */
export function acpTrouble(error: AcpError, now: number): AcpTrouble {
  const data = object(error.data);
  const kinds = [data["errorKind"], data["codexErrorInfo"]].filter((kind) => typeof kind === "string");
  const codes = [error.code, number(data["statusCode"]), number(data["httpStatusCode"]), number(data["status"])];
  const isOf = (kind: RegExp, code: readonly (number | null)[]): boolean =>
    kinds.some((each) => kind.test(each)) || codes.some((each) => code.includes(each));
  if (CREDIT_WORDS.test(error.message)) return { kind: "credit" };
  if (CUT_WORDS.test(error.message)) return { kind: "cut" };
  if (isOf(LIMIT_KINDS, LIMIT_CODES)) return { kind: "limit", until: resetOf(error, now) };
  if (isOf(OVERLOAD_KINDS, OVERLOAD_CODES)) return { kind: "overload", until: resetOf(error, now) };
  if (isOf(AUTH_KINDS, AUTH_CODES)) return { kind: "auth" };
  return troubleByWords(error, now);
}

function troubleByWords(error: AcpError, now: number): AcpTrouble {
  const { code, message } = error;
  if (TURN_WORDS.test(message)) return { kind: "turn_cap" };
  if (LIMIT_WORDS.test(message)) return { kind: "limit", until: resetOf(error, now) };
  if (OVERLOAD_WORDS.test(message)) return { kind: "overload", until: resetOf(error, now) };
  if (code === AUTH_REQUIRED || AUTH_WORDS.test(message)) return { kind: "auth" };
  return { kind: "other" };
}

/** The protocol's own word for it, before a session may begin. */
export function wantsLogin({ code, message }: AcpError): boolean {
  return code === AUTH_REQUIRED || code === 401 || /authentication (?:is )?required/i.test(message);
}

const RESET_NAMES = ["resetsAt", "resets_at", "resetAt", "reset_at"];
const DELAY_NAMES = ["retryAfter", "retry_after", "retryAfterSeconds", "resets_in_seconds"];

/** Of what an error carries, so many parts are looked at. */
const PARTS_MAX = 100;

function resetOf(error: AcpError, now: number): number | null {
  const parts = [error.data];
  for (let at = 0; at < parts.length && at < PARTS_MAX; at++) {
    const fields = object(parts[at]);
    for (const name of RESET_NAMES) {
      const due = timeOf(fields[name]);
      if (due !== null) return due;
    }
    for (const name of DELAY_NAMES) {
      const seconds = number(fields[name]);
      if (seconds !== null && seconds >= 0 && seconds < MONTH_S) return now + Math.ceil(seconds * 1_000);
    }
    parts.push(...Object.values(fields).flatMap((value) => (Array.isArray(value) ? list(value) : [value])));
  }
  return null;
}

const MONTH_S = 31 * 86_400;

/** Seconds or milliseconds since 1970, or a written instant; only of this century: nothing else could be waited for. */
function timeOf(value: unknown): number | null {
  const given = typeof value === "string" ? Date.parse(value) : number(value);
  if (given === null || Number.isNaN(given)) return null;
  const ms = given < 100_000_000_000 ? given * 1_000 : given;
  return ms > 946_684_800_000 && ms < 4_102_444_800_000 ? Math.ceil(ms) : null;
}
