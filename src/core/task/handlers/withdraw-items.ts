import type { Draft } from "../draft.ts";

/** Closes what is still asked about a task that no longer waits for the answer. */
export function withdrawItems(draft: Draft, why: string): void {
  for (const item of draft.rows.items)
    if (item.state === "open" && item.task === draft.task.id)
      draft.add("item.answered", { item: item.id, option: "withdrawn", text: why });
}
