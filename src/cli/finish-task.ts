/** `task done` to its end, also where another process holds the landing: then it follows, and takes over when that dies. */

import { invariant } from "../core/assert.ts";
import type { EngineContext } from "../engine/context.ts";
import type { DoneRequest } from "../engine/external.ts";
import { taskDone } from "../engine/external.ts";
import { watchChanges } from "../engine/wait.ts";
import type { TaskRecord } from "../ports/store.ts";
import { refused } from "./failure.ts";

/** How often a follower looks whether the holder of the landing still lives, since a death commits nothing. */
const HOLDER_LOOK_MS = 1_000;

/** The task as the landing left it, or still claimed done when `request.signal` aborted. */
export async function finishTask(context: EngineContext, request: DoneRequest & { signal: AbortSignal }, note: (text: string) => void): Promise<TaskRecord> {
  const { store, clock } = context;
  const { plan, task, signal } = request;
  const changes = watchChanges(store, clock);
  let told = false;
  try {
    for (;;) {
      changes.clear();
      const answer = await taskDone(context, request);
      if ("rejection" in answer) throw refused(answer.rejection);
      if (answer.landing.ended || answer.landing.held === null) return answer.task;
      if (!told) note(`process ${answer.landing.held.holder.pid} on ${answer.landing.held.holder.node} checks and lands; following it`);
      told = true;
      await changes.wait(clock.now() + HOLDER_LOOK_MS, [signal]);
      const record = await store.task(plan.id, task);
      invariant(record, `task ${task} vanished`);
      if (record.row.state !== "claimed_done" || signal.aborted) return record;
    }
  } finally {
    changes.close();
  }
}
