/** A plan as its file says it: the common form of all plan formats. */

import type { DocumentPath, Finding } from "./finding.ts";
import { planFrameSchema, taskSchema, type WrittenPlanFrame, type WrittenTask } from "./plan-schema.ts";
import { type Checked, checkAgainst } from "./schema-findings.ts";

export interface WrittenPlan {
  /** Null: the file does not say. */
  name: string | null;
  namePath: DocumentPath;
  frame: Pick<WrittenPlanFrame, "defaults" | "barriers" | "scopes">;
  entries: WrittenEntries;
  /** Grows while the entries are read. */
  warnings: Finding[];
}

/** Entries are read one by one: a large plan does not fit into memory in all its forms at once. */
export interface WrittenEntries {
  /** The key under which they stand in the document. */
  key: "tasks" | "features";
  list: unknown[];
  read: (entry: unknown, path: DocumentPath) => Checked<WrittenTask>;
}

/** Reads lockstep's own format. With a broken frame there is no plan, but all entries are looked at for problems. */
export function readWrittenPlan(value: unknown): Checked<WrittenPlan> {
  const list = entriesOf(value, "tasks");
  const entries: WrittenEntries = { key: "tasks", list, read: (entry, path) => checkAgainst(taskSchema, entry, path) };
  const frame = checkAgainst(planFrameSchema, withoutEntries(value, "tasks"));
  if (!frame.ok) return { ok: false, findings: [...frame.findings, ...entryFindings(entries)] };
  return { ok: true, value: { name: frame.value.plan, namePath: ["plan"], frame: frame.value, entries, warnings: [] } };
}

/** The entries of a document; none when it has no list of them. */
export function entriesOf(value: unknown, key: string): unknown[] {
  const list = (value as Record<string, unknown> | null)?.[key];
  return Array.isArray(list) ? list : [];
}

/** The document with one entry at most: enough for its frame to be checked, without a copy of the whole list. */
export function withoutEntries(value: unknown, key: string): unknown {
  const list = entriesOf(value, key);
  return list.length === 0 ? value : { ...(value as object), [key]: list.slice(0, 1) };
}

function entryFindings({ key, list, read }: WrittenEntries): Finding[] {
  return list.flatMap((entry, index) => {
    const checked = read(entry, [key, index]);
    return checked.ok ? [] : checked.findings;
  });
}
