import type { Clock } from "../ports/clock.ts";
import type { RunnerSpool } from "../ports/runner.ts";
import type { Stop } from "./stop.ts";

/** Fine enough for limits of hours, or of the minute of a lease. */
const LOOK_MS = 15_000;

/** Ends the agent when no engine has been heard of for so long that nobody may be there to settle it. */
export function watchForEngine(
  { spool, clock }: { spool: RunnerSpool; clock: Clock },
  orphanMs: number,
  stop: Stop,
): { close(): void } {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    let heard = spool.heardAt();
    // The wall clock may be set while nobody is there: only how long its sign has stood still is counted.
    let since = clock.monotonic();
    while (!over.signal.aborted) {
      const sign = spool.heardAt();
      if (sign === null) return stop.now("interrupted", "its spool is gone");
      if (sign !== heard) [heard, since] = [sign, clock.monotonic()];
      const silent = clock.monotonic() - since;
      if (silent >= orphanMs)
        return stop.now("interrupted", `no engine was heard of for ${Math.round(orphanMs / 1_000)} s`);
      await clock.sleep(Math.min(LOOK_MS, orphanMs - silent), over.signal);
    }
  };
  void watch();
  return { close: () => over.abort() };
}
