import type { Draft } from "../draft.ts";
import type { ItemKind } from "../rows.ts";

/** Closes what is still asked about a task that no longer waits for the answer; only of one kind where that is given. */
export function withdrawItems(draft: Draft, why: string, kind?: ItemKind): void {
  for (const item of draft.rows.items)
    if (item.state === "open" && item.task === draft.task.id && (kind === undefined || item.kind === kind))
      draft.add("item.answered", { item: item.id, option: "withdrawn", text: why });
}
