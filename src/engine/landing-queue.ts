/** The landing queue of a plan as whoever lands it walks it: its head is looked up anew before each landing. */

import type { TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { landingTarget } from "./landing-target.ts";

/** Landings of one walk, so that whoever walks comes to look at all else again. */
const LANDINGS_PER_WALK = PAGE;

/** What was come to: `done`: the task has left the queue, or its row says when it is back. */
export type Passed = "done" | "waits" | "target_held";

interface Walk {
  plan: string;
  /** Tasks that are not to be landed here. */
  isLeft(record: TaskRecord): boolean;
  /** Asked behind each landing: true ends the walk. */
  isOver(): boolean;
  land(record: TaskRecord): Promise<Passed>;
}

/**
 * Lands what stands first, until nothing waits. Whom it leaves behind (`waits`), and all others of a target that somebody
 * else has (`target_held`), are passed over. True when anything was done.
 */
export async function walkQueue({ store }: EngineContext, walk: Walk): Promise<boolean> {
  const [tasks, targets] = [new Set<string>(), new Set<string>()];
  const isPassed = (record: TaskRecord): boolean =>
    tasks.has(record.row.id) || targets.has(landingTarget(record)) || walk.isLeft(record);
  let isDone = false;
  for (let count = 0; count < LANDINGS_PER_WALK; count++) {
    const [head] = await store.unlanded(walk.plan, 1);
    // None: the queue is empty, or its first row cannot be read, and then others stand behind it.
    const isNext = head !== undefined && !isPassed(head);
    const next = isNext ? head : (await store.unlanded(walk.plan, PAGE)).find((each) => !isPassed(each));
    if (next === undefined) return isDone;
    const passed = await walk.land(next);
    if (passed === "done") isDone = true;
    if (passed === "target_held") targets.add(landingTarget(next));
    tasks.add(next.row.id);
    if (walk.isOver()) return isDone;
  }
  return isDone;
}
