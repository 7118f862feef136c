/** Watches what the store wants of a live attempt, and tells its runner: that it must end, or what was answered. */

import type { LiveRunner } from "../ports/runner.ts";
import type { EngineContext } from "./context.ts";
import type { LiveQuestions } from "./live-questions.ts";
import type { LiveTask } from "./live-task.ts";
import { watchChanges } from "./wait.ts";

export interface LiveWatch {
  /** Stops watching. Rejects with what kept it from watching. */
  close(): Promise<void>;
}

export function watchLive(
  context: EngineContext,
  live: LiveTask,
  runner: LiveRunner,
  questions: LiveQuestions,
  halt: AbortSignal,
): LiveWatch {
  const over = new AbortController();
  const changes = watchChanges(context.store, context.clock);
  // The runner ends its agent at the time limit. One that does not, hangs.
  const hangsAt = context.clock.now() + live.task.definition.timeout_ms + STOP_MAX_MS;
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      changes.clear();
      await questions.handOn(context, live, runner);
      const why = halt.aborted ? String(halt.reason) : await whyToEnd(context, live);
      if (why !== null) return end(context, runner, why, over.signal);
      if (context.clock.now() >= hangsAt) return runner.kill();
      await changes.wait(hangsAt, [over.signal, halt]);
    }
  };
  // Kept until the attempt is settled: a failure to watch must not cut it off.
  const watching = watch().then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return {
    close: async () => {
      over.abort();
      changes.close();
      const failed = await watching;
      if (failed !== null) throw failed.error;
    },
  };
}

/** An agent and all that it started are gone well within this time, unless its runner itself hangs. */
const STOP_MAX_MS = 25_000;

async function end({ clock }: EngineContext, runner: LiveRunner, why: string, over: AbortSignal): Promise<void> {
  await runner.control({ type: "stop", why });
  await clock.sleep(STOP_MAX_MS, over);
  if (!over.aborted) await runner.kill();
}

/** Why the attempt must end: somebody asked for it, or it is no longer the task's live one. */
async function whyToEnd({ store }: EngineContext, { task: { row }, lease }: LiveTask): Promise<string | null> {
  const found = await store.task(row.plan, row.id);
  if (found?.lease?.token !== lease.token) return "it was superseded";
  return found.attempt?.stop?.why ?? null;
}
