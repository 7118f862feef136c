/** The longest time that a timer of the platform can hold. */
const TIMER_MS_MAX = 2_147_000_000;

/** Aborts when an attempt's time is over. */
export function timeLimit(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(ms, TIMER_MS_MAX));
}
