/** What an error of an agent means: its protocol has no words for limits and logins, so each agent has its own. Pure. */

import type { AcpError } from "./acp-message.ts";
import { list, number, object } from "./wire-fields.ts";

export type AcpTrouble =
  /** Over by itself, at `due_at` (milliseconds since 1970) where it says so. */
  | { kind: "limit"; due_at: number | null }
  /** It is not logged in, or its login is not accepted. */
  | { kind: "auth" }
  | { kind: "other" };

/** Too many requests, and overloaded. */
const LIMIT_CODES: readonly (number | null)[] = [429, 529];
const AUTH_CODES: readonly (number | null)[] = [401, 403];

/** The protocol's own code for "log in first"; some take it for anything. */
const AUTH_REQUIRED = -32_000;

const LIMIT_KINDS = /^(?:rate_?limit|overloaded|usage_?limit)/i;
const AUTH_KINDS = /^(?:auth|unauthori[sz]ed)/i;
const LIMIT_WORDS =
  /rate.?limit|too many requests|quota|usage limit|resources? (?:has been |is )?exhausted|overloaded|\b(?:429|529)\b/i;
const AUTH_WORDS =
  /\b(?:401|403)\b|unauthori[sz]ed|unauthenticated|authenticat|api.?key|logged in|log ?in\b|credential/i;

/** `now`: milliseconds since 1970. */
export function acpTrouble(error: AcpError, now: number): AcpTrouble {
  const data = object(error.data);
  const kinds = [data["errorKind"], data["codexErrorInfo"]].filter((kind) => typeof kind === "string");
  const codes = [error.code, number(data["statusCode"]), number(data["httpStatusCode"]), number(data["status"])];
  const limit: AcpTrouble = { kind: "limit", due_at: dueAt(error, now) };
  if (kinds.some((kind) => LIMIT_KINDS.test(kind)) || codes.some((code) => LIMIT_CODES.includes(code))) return limit;
  if (kinds.some((kind) => AUTH_KINDS.test(kind)) || codes.some((code) => AUTH_CODES.includes(code))) {
    return { kind: "auth" };
  }
  if (LIMIT_WORDS.test(error.message)) return limit;
  if (error.code === AUTH_REQUIRED || AUTH_WORDS.test(error.message)) return { kind: "auth" };
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

function dueAt(error: AcpError, now: number): number | null {
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
  return dueByWords(error.message, now);
}

const MONTH_S = 31 * 86_400;

/** Seconds or milliseconds since 1970, or a written instant; only of this century: nothing else could be waited for. */
function timeOf(value: unknown): number | null {
  const given = typeof value === "string" ? Date.parse(value) : number(value);
  if (given === null || Number.isNaN(given)) return null;
  const ms = given < 100_000_000_000 ? given * 1_000 : given;
  return ms > 946_684_800_000 && ms < 4_102_444_800_000 ? Math.ceil(ms) : null;
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DELAY =
  /(?:retry|try again|reset\w*)\s+(?:in|after)\s+((?:\d{1,6}(?:\.\d{1,9})?\s*(?:ms|s|m|h|d)[a-z]*\s*){1,4})/i;

/** "retry in 20s", "try again in 1 hour 5 minutes". */
function dueByWords(words: string, now: number): number | null {
  const delay = DELAY.exec(words)?.[1];
  if (delay === undefined) return null;
  const ms = [...delay.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/gi)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit!.toLowerCase()]!,
    0,
  );
  return ms < MONTH_S * 1_000 ? now + Math.ceil(ms) : null;
}
