/** What time alone changes: items past their deadline, leases that ran out, failures that dependants asked to share. */

import { isHeld } from "../core/schedule/holds.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { keepAbandoned } from "./place.ts";
import { type Failed, thrown } from "./set-aside.ts";
import { endVoidLandings } from "./take-over.ts";

/** A cascade goes in batches of this many, so that no look takes long; the next look goes on. */
const CASCADE_BATCH = 500;

export async function sweep(context: EngineContext, plan: string, failed: Failed): Promise<void> {
  await expireItems(context, plan, failed);
  await expireLeases(context, plan, failed);
  await expireHolds(context);
  await cascadeFailures(context, plan, failed);
  await endVoidLandings(context);
}

async function expireItems(
  { store, clock, project, actor }: EngineContext,
  plan: string,
  failed: Failed,
): Promise<void> {
  const items = await store.openItems(project.id, plan, PAGE);
  const due = items.filter(
    (item) => item.default_option !== null && item.deadline_at !== null && item.deadline_at <= clock.now(),
  );
  for (const { id, task } of due) {
    const expiry = store.submit({ type: "item.expire", plan, item: id }, { actor });
    await (task === null ? expiry : expiry.catch((error) => failed(task, error)));
  }
}

/** A worker that is gone holds its task no longer, nor the files and the place that others wait for. */
async function expireLeases(context: EngineContext, plan: string, failed: Failed): Promise<void> {
  const { store, actor } = context;
  const over = await store.runOut(plan, PAGE);
  if (over.length > 0) await keepAbandoned(context);
  for (const lease of over)
    await store.submit({ type: "lease.expire", plan, ...lease }, { actor }).catch((error) => failed(lease.task, error));
}

/** A limit that is over is told once, and holds nothing any more. */
async function expireHolds({ store, clock, project, actor }: EngineContext): Promise<void> {
  const now = clock.now();
  const over = (await store.holds(project.id)).filter((hold) => !hold.over && !isHeld(hold, now));
  for (const { key } of over) await store.submit({ type: "hold.expire", project: project.id, key }, { actor });
}

/** Skipping one task may condemn the next, so it looks again until a batch stays empty. */
export async function cascadeFailures(
  { store, actor }: EngineContext,
  plan: string,
  failed: Failed = thrown,
): Promise<void> {
  const stuck = new Set<string>();
  const next = async () => (await store.cascading(plan, CASCADE_BATCH)).filter((task) => !stuck.has(task));
  for (let batch = await next(); batch.length > 0; batch = await next()) {
    for (const task of batch)
      await store.submit({ type: "task.cascade", plan, task }, { actor }).catch(async (error) => {
        stuck.add(task);
        await failed(task, error);
      });
  }
}
