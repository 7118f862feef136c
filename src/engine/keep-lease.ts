/** Says again and again that an engine attends a live attempt: to other nodes by its lease, to its runner by a sign. */

import type { LiveRunner } from "../ports/runner.ts";
import type { EngineContext } from "./context.ts";
import { type LiveTask, ofAttempt } from "./live-task.ts";

/** How long another node waits before it may take over what this engine holds (spec, section 6). */
export const RUN_LEASE_MS = 60_000;

/** Twice missed is still in time. */
const RENEW_MS = 20_000;

export function keepLease(context: EngineContext, live: LiveTask, runner: LiveRunner): { close(): Promise<void> } {
  const { clock, store, actor } = context;
  const over = new AbortController();
  const keep = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(RENEW_MS, over.signal);
      if (over.signal.aborted) return;
      const expires_at = clock.now() + RUN_LEASE_MS;
      await store.submit({ type: "task.renew", ...ofAttempt(live), expires_at }, { actor });
      await runner.greet();
    }
  };
  const keeping = keep().then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return {
    close: async () => {
      over.abort();
      const failed = await keeping;
      if (failed !== null) throw failed.error;
    },
  };
}
