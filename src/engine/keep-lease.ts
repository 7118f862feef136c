/** Says again and again that an engine attends a live attempt: to other nodes by its lease, to its runner by a sign. */

import type { LiveRunner } from "../ports/runner.ts";
import { type Beside, beside } from "./beside.ts";
import type { EngineContext } from "./context.ts";
import { type LiveTask, ofAttempt } from "./live-task.ts";
import { oncePassed } from "./patience.ts";

/** How long another node waits before it may take over what this engine holds (spec, section 6). */
export const RUN_LEASE_MS = 60_000;

/** Twice missed is still in time. */
const RENEW_MS = 20_000;

/** `runner`: null as long as there is none. */
export function keepLease(context: EngineContext, live: LiveTask, runner: Pick<LiveRunner, "greet"> | null): Beside {
  const { clock, store, actor } = context;
  return beside(async (over) => {
    for (;;) {
      await clock.sleep(RENEW_MS, over);
      if (over.aborted) return;
      // The runner may know of its engine whether or not the store can be written.
      await runner?.greet();
      await oncePassed(context, over, () => {
        const expires_at = clock.now() + RUN_LEASE_MS;
        return store.submit({ type: "task.renew", ...ofAttempt(live), expires_at }, { actor });
      });
    }
  });
}
