const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `42 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`: two units, so that a clock is seen to run. */
export function spanText(ms: number): string {
  const of = (size: number, name: string): string => `${Math.floor(ms / size)} ${name}`;
  const rest = (whole: number, size: number, name: string): string =>
    Math.floor((ms % whole) / size) === 0 ? "" : ` ${Math.floor((ms % whole) / size)} ${name}`;
  if (ms >= DAY_MS) return of(DAY_MS, "d") + rest(DAY_MS, HOUR_MS, "h");
  if (ms >= HOUR_MS) return of(HOUR_MS, "h") + rest(HOUR_MS, MINUTE_MS, "min");
  if (ms >= MINUTE_MS) return of(MINUTE_MS, "min") + rest(MINUTE_MS, SECOND_MS, "s");
  return of(SECOND_MS, "s");
}

/** How a frame tells of moments: on a screen by how far off they are, elsewhere by the clock in UTC. */
export interface Moments {
  /** `3 min 12 s`, or `since 2026-07-01T12:00:00.000Z`. */
  since(at: number): string;
  /** `in 3 min`, or `at 2026-07-01T12:00:00.000Z`. */
  until(at: number): string;
}

export function spansFrom(now: number): Moments {
  return {
    since: (at) => spanText(Math.max(0, now - at)),
    until: (at) => (at <= now ? "now" : `in ${spanText(inMinutes(at - now))}`),
  };
}

/** What only comes due is not drawn anew at every second before its last minute. */
function inMinutes(ms: number): number {
  return ms < MINUTE_MS ? ms : ms - (ms % MINUTE_MS);
}

export const CLOCK_TIMES: Moments = {
  since: (at) => `since ${new Date(at).toISOString()}`,
  until: (at) => `at ${new Date(at).toISOString()}`,
};
