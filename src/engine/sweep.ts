/** What time alone changes: items past their deadline, failures that dependants asked to share. */

import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";

/** A cascade goes in batches of this many, so that no look takes long; the next look goes on. */
const CASCADE_BATCH = 500;

export async function sweep(context: EngineContext, plan: string): Promise<void> {
  await expireItems(context, plan);
  await cascadeFailures(context, plan);
}

async function expireItems({ store, clock, project, actor }: EngineContext, plan: string): Promise<void> {
  const items = await store.openItems(project.id, plan, PAGE);
  const due = items.filter(
    (item) => item.default_option !== null && item.deadline_at !== null && item.deadline_at <= clock.now(),
  );
  for (const item of due) await store.submit({ type: "item.expire", plan, item: item.id }, { actor });
}

/** Skipping one task may condemn the next, so it looks again until a batch stays empty. */
export async function cascadeFailures({ store, actor }: EngineContext, plan: string): Promise<void> {
  let batch = await store.cascading(plan, CASCADE_BATCH);
  while (batch.length > 0) {
    for (const task of batch) await store.submit({ type: "task.cascade", plan, task }, { actor });
    batch = await store.cascading(plan, CASCADE_BATCH);
  }
}
