/** What the store says of a task has no place in the file yet: it knows the task by its id alone. */

import type { PlanProblem } from "../core/plan/definition.ts";
import type { Finding } from "./finding.ts";
import { locatedProblems, parseSource } from "./parse-source.ts";
import { readSourceText } from "./source-text.ts";

const OF_TASK = /^task (.*)$/s;

/** The same problems, each about a task of the file with that task's line and column. */
export async function placeProblems(file: string, problems: readonly PlanProblem[]): Promise<PlanProblem[]> {
  const read = await readSourceText(file);
  const parsed = read.ok ? await parseSource(read.source) : null;
  if (!parsed?.ok) return [...problems];
  const { document } = parsed;
  const places = placesOf(document.value);
  return problems.flatMap((problem) => {
    const path = places.get(OF_TASK.exec(problem.path)?.[1] ?? "");
    const finding: Finding | null = path === undefined ? null : { path, message: problem.message };
    return finding === null ? [problem] : locatedProblems(file, document, [finding]);
  });
}

/** Where each task stands, by its id: `tasks[3]`, or `features[3]` in a plan of omega-os. */
function placesOf(value: unknown): Map<string, (string | number)[]> {
  const places = new Map<string, (string | number)[]>();
  for (const key of ["tasks", "features"]) {
    const entries = (value as Record<string, unknown> | null)?.[key];
    if (!Array.isArray(entries)) continue;
    entries.forEach((entry: unknown, index) => {
      const id = (entry as { id?: unknown } | null)?.id;
      if (typeof id === "string") places.set(id, [key, index]);
    });
  }
  return places;
}
