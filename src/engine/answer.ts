/** Answers to what people are asked, for all whom the question holds. */

import type { ItemAnswer } from "../core/task/commands/items.ts";
import type { TaskRow } from "../core/task/rows.ts";
import { type Answer, PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";

type Asking = Pick<EngineContext, "store" | "project" | "actor">;

/** Answers an item, and with it every open one that asks the same. The answer's events are of all of them. */
export async function answerAll(context: Asking, command: Omit<ItemAnswer, "type">): Promise<Answer> {
  const { store, project, actor } = context;
  const open = await store.openItems(project.id, command.plan, PAGE);
  const shared = open.find(({ id }) => id === command.item)?.shared ?? null;
  const first = await store.submit({ type: "item.answer", ...command }, { actor });
  if (!first.ok || shared === null) return first;
  const events = [...first.events];
  for (const item of open.filter((other) => other.shared === shared && other.id !== command.item)) {
    // Refused where somebody has answered that one meanwhile.
    events.push(...(await store.submit({ type: "item.answer", ...command, item: item.id }, { actor })).events);
  }
  return { ok: true, events };
}

/** Beyond so many landed tasks a person has to say that a guard is mended. */
const LANDED_MAX = 10_000;

/** What the answer says that nobody has to give. */
const MENDED = "it is green on the target by now";

/** Sends those back to their checks that a red guard held, where it is green on what landed last. */
export async function releaseMended(context: Asking, plan: string): Promise<void> {
  const { store, project, actor } = context;
  const held = (await store.openItems(project.id, plan, PAGE)).filter(({ shared }) => shared !== null);
  const tree = held.length === 0 ? null : await landedLast(context, plan);
  for (const { id, shared } of tree === null ? [] : held) {
    if ((await store.guardOutcome(plan, tree!, shared!)) !== "green") continue;
    await store.submit({ type: "item.answer", plan, item: id, option: "check_again", text: MENDED }, { actor });
  }
}

/** The tree of what landed last; null where nothing has. */
async function landedLast({ store }: Asking, plan: string): Promise<string | null> {
  let last: TaskRow | null = null;
  for (let offset = 0; offset < LANDED_MAX; offset += PAGE) {
    const page = await store.tasks(plan, { state: "verified", offset, limit: PAGE });
    for (const row of page)
      if (row.landed_tree !== null && (row.finished_at ?? 0) >= (last?.finished_at ?? 0)) last = row;
    if (page.length < PAGE) break;
  }
  return last?.landed_tree ?? null;
}
