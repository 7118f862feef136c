/** What stands on the branch that a plan landed on, held against the landings that the store knows. */

import { hasOwnBranch } from "../core/plan/definition.ts";
import type { AttemptRow, PlanRow, TaskRow } from "../core/task/rows.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { editedMerge } from "./prove-landing.ts";

/** Commits that are named; the rest is counted. */
const NAMED_MAX = 5;

/** Of those commits, the newest that are looked at for merges whose files were edited: each costs some calls of git. */
const MERGES_MAX = 1_000;

export interface Line {
  /** What is wrong with a branch of the plan's own. */
  problems: string[];
  /** Worth knowing, and nothing wrong: on a branch of a person's they commit as they like. */
  notes: string[];
}

/**
 * `attempts`: of the verified tasks. `landed`: commits that are known to have landed, or are told of elsewhere; `merged`:
 * those of them that a forge made. What a forge's commit stands on came with it, and was checked as part of it.
 */
export async function proveLine(
  context: EngineContext,
  plan: PlanRow,
  attempts: readonly AttemptRow[],
  { landed, merged }: { landed: readonly string[]; merged: readonly string[] },
): Promise<Line> {
  const { target } = plan.policy.land;
  const first = attempts.filter(({ base }) => base !== null).sort((a, b) => a.started_at - b.started_at)[0];
  if (first?.base == null || !target.startsWith("refs/")) return { problems: [], notes: [] };
  const line = await context.workspace.line(target, first.base);
  if (line === null) return { problems: [], notes: [] };
  if ("code" in line) return { problems: [`what stands on ${target} cannot be read: ${line.text}`], notes: [] };
  const strange = unknown(line, [...landed, ...broughtAlong(line, landed, merged)]);
  // A landing under way has moved the branch before its row says so.
  const left = strange.length === 0 ? [] : unknown(strange, await underWay(context, plan));
  const told = left.slice(0, NAMED_MAX).map((commit) => `${target} has a commit that no task landed: ${commit}`);
  if (left.length > NAMED_MAX) told.push(`${target} has ${left.length - NAMED_MAX} more commits that no task landed`);
  const edited: string[] = [];
  for (const commit of left.slice(0, MERGES_MAX)) edited.push(...(await editedMerge(context, commit)));
  if (hasOwnBranch(plan.policy.workspace)) return { problems: [...told, ...edited], notes: [] };
  return { problems: edited, notes: told };
}

/** Down to the next one that landed otherwise. */
function broughtAlong(line: readonly string[], landed: readonly string[], merged: readonly string[]): string[] {
  const [own, forge] = [new Set(landed), new Set(merged)];
  const brought: string[] = [];
  let isForge = false;
  for (const commit of line) {
    if (own.has(commit)) isForge = forge.has(commit);
    else if (isForge) brought.push(commit);
  }
  return brought;
}

function unknown(commits: readonly string[], known: readonly string[]): string[] {
  const all = new Set(known);
  return commits.filter((commit) => !all.has(commit));
}

async function underWay({ store, workspace }: EngineContext, plan: PlanRow): Promise<string[]> {
  const rows: TaskRow[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.tasks(plan.id, { state: "claimed_done", offset, limit: PAGE });
    rows.push(...page);
    if (page.length < PAGE) break;
  }
  const pinned = await workspace.pinned(plan.name);
  const names = new Set(rows.map(({ slug, attempts }) => `${slug}/${attempts}`));
  return "code" in pinned ? [] : pinned.filter(({ slug, n }) => names.has(`${slug}/${n}`)).map(({ commit }) => commit);
}
