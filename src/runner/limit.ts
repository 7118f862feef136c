/** What a limit's end is known from, where its agent does not say: its own words, read while they are fresh. */

import { resetTime } from "../core/attempt/reset-time.ts";
import type { RunnerEnd } from "../ports/runner.ts";

/** `now`: of the wall clock; `zone`: of times whose words name none. An end that is not by a limit stays as it is. */
export function withLimit(end: RunnerEnd, now: number, zone: string): RunnerEnd {
  if (end.outcome !== "rate_limited") return end;
  const { limit, error } = end;
  if (limit != null && limit.until !== null) return end;
  const until = error === null ? null : resetTime(error, now, zone);
  return {
    ...end,
    limit: { holds: limit?.holds ?? "account", until, known_from: until === null ? "backoff" : "text" },
  };
}

/** The zone by which an agent of this environment writes its times. */
export function zoneOf(env: Readonly<Record<string, string>>): string {
  return env["TZ"] || Intl.DateTimeFormat().resolvedOptions().timeZone;
}
