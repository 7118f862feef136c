/** An operator, or a new revision of the plan, may end a task while it is checked: then its check is killed. */

import type { TaskRecord } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { watchChanges } from "./wait.ts";

/** Most checks have ended by then, and watching costs more than they do. */
const FIRST_LOOK_MS = 500;

export interface ClaimedDoneWatch {
  /** Aborts when the task is no longer claimed done by this attempt, or with `stop`. */
  signal: AbortSignal;
  /** Stops watching. Rejects with what kept it from watching. */
  close(): Promise<void>;
}

export function watchClaimedDone(context: EngineContext, record: TaskRecord, stop?: AbortSignal): ClaimedDoneWatch {
  const left = new AbortController();
  const over = new AbortController();
  const watching = watch(context, record, left, over.signal).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return {
    signal: stop ? AbortSignal.any([left.signal, stop]) : left.signal,
    close: async () => {
      over.abort();
      const failed = await watching;
      if (failed !== null) throw failed.error;
    },
  };
}

async function watch(
  context: EngineContext,
  { row }: TaskRecord,
  left: AbortController,
  over: AbortSignal,
): Promise<void> {
  const { store, clock } = context;
  await clock.sleep(FIRST_LOOK_MS, over);
  if (over.aborted) return;
  const changes = watchChanges(store, clock);
  try {
    while (!over.aborted && !left.signal.aborted) {
      changes.clear();
      const now = (await store.task(row.plan, row.id))?.row;
      // In progress by this very attempt: its landing has not begun yet.
      const stands = now?.state === "claimed_done" || now?.state === "in_progress";
      if (!stands || now.attempts !== row.attempts) left.abort();
      else await changes.wait(Number.POSITIVE_INFINITY, [over]);
    }
  } finally {
    changes.close();
  }
}
