/** Work that has not landed is still somewhere: in a workspace, on a branch, or at a saved ref. */

import type { TaskState } from "../core/task/moves.ts";
import type { PlanRow, TaskRow } from "../core/task/rows.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";

/** Of tasks that may go on. */
const WAITING: readonly TaskState[] = ["pending", "blocked", "failed"];

/** Nobody waits for their work any more, and a person may have thrown it away. */
const OVER: readonly TaskState[] = ["skipped", "cancelled"];

export interface Kept {
  problems: string[];
  notes: string[];
}

export async function proveKept(context: EngineContext, plan: PlanRow): Promise<Kept> {
  const occupied = await context.workspace.occupied();
  const isAtWork = (row: TaskRow): boolean =>
    occupied.some(({ plan: name, slug }) => name === plan.name && slug === row.slug);
  const lost = async (states: readonly TaskState[]): Promise<string[]> => {
    const told: string[] = [];
    for await (const row of unlandedRows(context, plan, states))
      if (!isAtWork(row)) told.push(...(await lostWork(context, plan, row)));
    return told;
  };
  return { problems: await lost(WAITING), notes: await lost(OVER) };
}

async function* unlandedRows(
  { store }: EngineContext,
  plan: PlanRow,
  states: readonly TaskState[],
): AsyncGenerator<TaskRow> {
  for (const state of states)
    for (let offset = 0; ; offset += PAGE) {
      const page = await store.tasks(plan.id, { state, offset, limit: PAGE });
      yield* page.filter(({ unlanded, target }) => unlanded && target.startsWith("refs/"));
      if (page.length < PAGE) break;
    }
}

async function lostWork({ workspace }: EngineContext, plan: PlanRow, row: TaskRow): Promise<string[]> {
  const { id, slug, target } = row;
  const kept = await workspace.diff({ plan: plan.name, slug, target });
  if (kept === null) return [`${id} has work that did not land, and no ref keeps it`];
  return "code" in kept ? [`the work of ${id} that did not land cannot be read: ${kept.text}`] : [];
}
