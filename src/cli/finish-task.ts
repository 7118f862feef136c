/** `task done` to its end, also where another process holds the landing: then it follows, and takes over when that dies. */

import { invariant } from "../core/assert.ts";
import type { LandingRow } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import { isSameProcess } from "../engine/context.ts";
import type { DoneAnswer, DoneRequest } from "../engine/external.ts";
import { landDone, taskDone } from "../engine/external.ts";
import { type Changes, watchChanges } from "../engine/wait.ts";
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
  let followed: TaskRecord | null = null;
  try {
    for (;;) {
      changes.clear();
      // Said once: each refusal of another time is an event, which would wake all others that follow.
      const answer: DoneAnswer = followed
        ? await landDone(context, request, followed)
        : await taskDone(context, request);
      if ("rejection" in answer) throw refused(answer.rejection);
      const { landing } = answer;
      if (landing.ended || landing.held === null) return answer.task;
      if (!followed)
        note(`process ${landing.held.holder.pid} on ${landing.held.holder.node} checks and lands; following it`);
      followed = answer.task;
      const record = await whileHeld(context, request, landing.held, changes);
      if (record.row.state !== "claimed_done" || signal.aborted) return record;
    }
  } finally {
    changes.close();
  }
}

/**
 * Returns when the task is landed, when its holder is at work on that target no more, or when it is time to see whether
 * the holder lives. Most commits in between are the holder's own, and many may follow it: each looks at two rows.
 */
async function whileHeld(
  context: EngineContext,
  request: DoneRequest & { signal: AbortSignal },
  { project, target, holder }: LandingRow,
  changes: Changes,
): Promise<TaskRecord> {
  const { store, clock } = context;
  const until = clock.now() + HOLDER_LOOK_MS;
  for (;;) {
    await changes.wait(until, [request.signal]);
    changes.clear();
    const record = await recordOf(context, request);
    if (record.row.state !== "claimed_done" || request.signal.aborted || clock.now() >= until) return record;
    const now = await store.landing(project, target);
    if (now === null || !isSameProcess(now.holder, holder)) return record;
  }
}

async function recordOf({ store }: EngineContext, { plan, task }: DoneRequest): Promise<TaskRecord> {
  const record = await store.task(plan.id, task);
  invariant(record, `task ${task} vanished`);
  return record;
}
