/** Which tasks undo which: a task that undoes another's landing says so by a label, which only `revert` gives. */

import type { TaskRecord } from "../ports/store.ts";

const LABEL = "reverts:";

/** The label of a task that undoes the landing of another. */
export function revertsLabel(task: string): string {
  return `${LABEL}${task}`;
}

/** Tasks whose landing is undone by another verified task that is not undone itself. `records`: of the verified tasks. */
export function revertedTasks(records: readonly TaskRecord[]): Set<string> {
  const revertersOf = new Map<string, string[]>();
  for (const { row, definition } of records) {
    // A plan's file may name any label.
    if (row.origin !== "operator") continue;
    const of = definition.labels.find((label) => label.startsWith(LABEL))?.slice(LABEL.length);
    if (of !== undefined) revertersOf.set(of, [...(revertersOf.get(of) ?? []), row.id]);
  }
  // The chain ends: a task names only one that was there before it.
  const isUndone = (task: string): boolean => (revertersOf.get(task) ?? []).some((reverter) => !isUndone(reverter));
  return new Set([...revertersOf.keys()].filter(isUndone));
}
