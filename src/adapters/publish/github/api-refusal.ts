import type { PublishRefusal } from "../../../ports/publisher.ts";
import { LATER, refusal } from "../refusal.ts";

/** What a request came to that did not go well; `status` null: there was no answer. */
export interface Failed {
  status: number | null;
  message: string;
  headers: Readonly<Record<string, string | number | undefined>>;
}

export interface Asked {
  /** What was wanted, as in `GitHub did not <doing>`. */
  doing: string;
  owner: string;
  repo: string;
}

/** As long as GitHub asks to wait when it names no time. */
const UNNAMED_LIMIT_MS = 60_000;

/** Its limits are by the hour: what claims to be longer than this is asked about again. */
const LIMIT_MS_MAX = 24 * 60 * 60_000;

/** Its clock and ours tick in whole seconds at least. */
const ROUNDING_MS = 1_000;

/** The failure in the port's words. */
export function apiRefusal(failed: Failed, asked: Asked, now: number): PublishRefusal {
  const { status, message } = failed;
  const where = `${asked.owner}/${asked.repo}`;
  const text = `GitHub did not ${asked.doing} (${status ?? "no answer"}): ${message}`;
  if (isRateLimited(failed)) {
    const until = limitEnd(failed.headers, now);
    return refusal("rate_limited", text, "Nothing to do: it goes on by itself when the limit is over.", { until });
  }
  switch (status) {
    case 401:
      return refusal("forbidden", text, "Renew the token: it is not accepted any more.");
    case 403: {
      const needed = failed.headers["x-accepted-github-permissions"];
      const rights = needed === undefined ? "contents and pull requests: write; checks: read" : String(needed);
      return refusal("forbidden", text, `Give the token what it needs on ${where} (${rights}), or use another.`);
    }
    case 404:
    case 410:
    case 451:
      return refusal("not_found", text, `See whether ${where} exists, and whether the token may see it.`);
    case 409:
      return refusal("conflict", text, LATER);
    default:
      return status !== null && status >= 400 && status < 500 && status !== 408
        ? refusal("invalid", text, "Change what GitHub names, then retry the task.")
        : refusal("unavailable", text, LATER);
  }
}

/** A refusal for the number of requests comes as 429 or as 403, and only its headers or words tell it from the other kind. */
function isRateLimited({ status, headers, message }: Failed): boolean {
  if (status === 429) return true;
  if (status !== 403 && status !== 200) return false;
  const isSpent = headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined;
  return (status === 403 && isSpent) || /\b(secondary|API) rate limit|rate limit exceeded|RATE_LIMITED/i.test(message);
}

/** Milliseconds since 1970 by our clock, which need not be GitHub's: never early by either. */
function limitEnd(headers: Failed["headers"], now: number): number {
  const wait = retryAfterMs(headers, now);
  if (wait !== null) return now + Math.min(wait, LIMIT_MS_MAX) + ROUNDING_MS;
  const reset = Number(headers["x-ratelimit-reset"]) * 1_000;
  if (headers["x-ratelimit-remaining"] !== "0" || !(reset > 0)) return now + UNNAMED_LIMIT_MS;
  const theirs = Date.parse(String(headers["date"]));
  const byTheirs = Number.isNaN(theirs) ? reset : now + (reset - theirs);
  return Math.min(Math.max(reset, byTheirs, now), now + LIMIT_MS_MAX) + ROUNDING_MS;
}

/** Seconds, or a date. */
function retryAfterMs(headers: Failed["headers"], now: number): number | null {
  const written = headers["retry-after"];
  if (written === undefined) return null;
  if (/^\d+$/.test(String(written))) return Number(written) * 1_000;
  const date = Date.parse(String(written));
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
