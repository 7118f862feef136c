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
export async function finishTask(
  context: EngineContext,
  request: DoneRequest & { signal: AbortSignal },
  note: (text: string) => void,
): Promise<TaskRecord> {
  const { store, clock } = context;
  const { signal } = request;
  const changes = watchChanges(store, clock);
  let followed = false;
  try {
    for (;;) {
      changes.clear();
      const answer = await taskDone(context, request);
      // Once it was accepted, a refusal only says that the process that is followed has just landed it.
      if ("rejection" in answer && followed) return await recordOf(context, request);
      if ("rejection" in answer) throw refused(answer.rejection);
      const { landing } = answer;
      if (landing.ended || landing.held === null) return answer.task;
      if (!followed)
        note(`process ${landing.held.holder.pid} on ${landing.held.holder.node} checks and lands; following it`);
      followed = true;
      await changes.wait(clock.now() + HOLDER_LOOK_MS, [signal]);
      const record = await recordOf(context, request);
      if (record.row.state !== "claimed_done" || signal.aborted) return record;
    }
  } finally {
    changes.close();
  }
}

async function recordOf({ store }: EngineContext, { plan, task }: DoneRequest): Promise<TaskRecord> {
  const record = await store.task(plan.id, task);
  invariant(record, `task ${task} vanished`);
  return record;
}
