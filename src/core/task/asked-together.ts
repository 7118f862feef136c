import type { ItemRow } from "./rows.ts";

/** Open items that are one question. */
export interface Asked {
  /** The one that was opened first: whoever answers it answers all. */
  item: ItemRow;
  /** Of all of them, in their order. */
  tasks: string[];
}

/** Items as a person is asked, in their order. */
export function askedTogether(items: readonly ItemRow[]): Asked[] {
  const asked: Asked[] = [];
  const shared = new Map<string, Asked>();
  for (const item of items) {
    const key = item.shared === null ? null : `${item.plan} ${item.shared}`;
    const known = key === null ? undefined : shared.get(key);
    const one = known ?? { item, tasks: [] };
    if (item.task !== null) one.tasks.push(item.task);
    if (known !== undefined) continue;
    asked.push(one);
    if (key !== null) shared.set(key, one);
  }
  return asked;
}

/** Tasks that are named; the rest is counted. */
const NAMED_MAX = 5;

/** `A, B and 7 more`; null where it is about no task. */
export function tasksText(tasks: readonly string[]): string | null {
  if (tasks.length === 0) return null;
  const named = tasks.slice(0, NAMED_MAX).join(", ");
  return tasks.length > NAMED_MAX ? `${named} and ${tasks.length - NAMED_MAX} more` : named;
}
