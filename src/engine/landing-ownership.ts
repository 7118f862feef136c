/** What a candidate changes though its task does not own it, as the record and the next attempt are told. */

import type { TaskDefinition } from "../core/plan/definition.ts";
import { outsideOf } from "../core/policy/ownership.ts";
import type { Outside } from "../core/task/rows.ts";
import type { Candidate } from "../ports/workspace.ts";

/** Paths that stand in the record; whoever left more than these is told the number. */
const RECORDED_MAX = 50;

/** Paths that a refusal names: it is read by a person, and by the next attempt in its brief. */
const NAMED_MAX = 20;

/** Null when all is the task's own. Renamed files count at both places, deleted ones too. */
export function outsideFiles({ files_owned }: TaskDefinition, { changed }: Candidate): Outside | null {
  const outside = outsideOf(
    files_owned,
    changed.map(({ path }) => path),
  );
  return outside.length === 0 ? null : { paths: outside.slice(0, RECORDED_MAX), total: outside.length };
}

/** Evidence for the next attempt: which files, and what it may change instead. */
export function outsideText({ files_owned }: TaskDefinition, { paths, total }: Outside): string {
  const named = paths.slice(0, NAMED_MAX);
  const more = total > named.length ? ` and ${total - named.length} more` : "";
  return `files outside files_owned (${files_owned.join(", ")}) were changed: ${named.join(", ")}${more}; put them back as they were`;
}
