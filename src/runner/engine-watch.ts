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
  const begun = clock.now();
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const heard = spool.heardAt();
      if (heard === null) return stop.now("interrupted", "its spool is gone");
      const silent = clock.now() - Math.max(begun, heard);
      if (silent >= orphanMs)
        return stop.now("interrupted", `no engine was heard of for ${Math.round(orphanMs / 1_000)} s`);
      await clock.sleep(Math.min(LOOK_MS, orphanMs - silent), over.signal);
    }
  };
  void watch();
  return { close: () => over.abort() };
}
