/** How long a task waits before its next try: doubled each time from its own delay, never longer than five minutes. */
export const RETRY_DELAY_MAX_MS = 300_000;

/** `tries` counts the failed ones so far, from 1. */
export function retryDelay(tries: number, delayMs: number): number {
  return Math.min(delayMs * 2 ** (tries - 1), RETRY_DELAY_MAX_MS);
}
