/** What a candidate changes though its task does not own it, as the record and the next attempt are told. */

import type { TaskDefinition } from "../core/plan/definition.ts";
import { outsideOf, scopeBreaches } from "../core/policy/ownership.ts";
import type { Outside } from "../core/task/rows.ts";
import type { Candidate } from "../ports/workspace.ts";
import type { Landing } from "./landing-work.ts";

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
  return `files outside files_owned (${files_owned.join(", ")}) were changed: ${namedPaths(paths, total)}; put them back as they were`;
}

function namedPaths(paths: readonly string[], total = paths.length): string {
  const named = paths.slice(0, NAMED_MAX);
  return `${named.join(", ")}${total > named.length ? ` and ${total - named.length} more` : ""}`;
}

/** What a change breaks of its task's scope, as evidence for the next attempt; null when nothing. */
export function brokenScope(definition: TaskDefinition, { changed }: Candidate): string | null {
  const { scope, scope_paths: allowed, scope_deny: denied } = definition;
  const { outside, forbidden } = scopeBreaches(
    { allowed, denied },
    changed.map(({ path }) => path),
  );
  if (outside.length + forbidden.length === 0) return null;
  const parts = [
    ...(forbidden.length === 0 ? [] : [`it denies ${denied.join(", ")}: ${namedPaths(forbidden)}`]),
    ...(outside.length === 0 ? [] : [`it allows only ${allowed.join(", ")}: ${namedPaths(outside)}`]),
  ];
  return `files were changed that the scope ${scope} does not allow: ${parts.join("; ")}; put them back as they were`;
}

/** Files that no attempt of the task may change: the project's, and its own. */
export function protectedGlobs({ context, record }: Landing): string[] {
  return [...context.settings.protect, ...record.definition.protect];
}
