import type { Clock } from "../../ports/clock.ts";

/** The longest delay that a timer of the platform takes; a longer sleep is slept in parts. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    const until = performance.now() + ms;
    for (let left = ms; left > 0 && !signal?.aborted; left = until - performance.now()) {
      await sleepOnce(Math.min(Math.ceil(left), TIMER_MS_MAX), signal);
    }
  },
};

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake, { once: true });
  });
}
