/** Looks, now and then, at what work under way will conflict with, so that it is known before it comes to its landing. */

import { hasOwnBranch } from "../core/plan/definition.ts";
import { isSameConflict } from "../core/task/handlers/foresee.ts";
import type { ForeseenConflict } from "../core/task/rows.ts";
import { RowUnreadable, type TaskRecord } from "../ports/store.ts";
import type { Clash } from "../ports/workspace.ts";
import { type Beside, beside } from "./beside.ts";
import type { EngineContext, ForesightPace } from "./context.ts";
import { isPassing } from "./patience.ts";
import { watchChanges } from "./wait.ts";

/** Works that are looked at; the oldest, which will land first. */
const WORKS_MAX = 32;

/** Conflicts of one task that are told. */
const CONFLICTS_MAX = 20;

/** Goes on until it is closed. Where nothing is under way it only waits. */
export function watchForConflicts(context: EngineContext, plan: string, { everyMs, pauses }: ForesightPace): Beside {
  const { store, clock } = context;
  return beside(async (over) => {
    const changes = watchChanges(store, clock);
    try {
      while (!over.aborted) {
        changes.clear();
        const begun = clock.monotonic();
        const isAtWork = await lookAhead(context, plan);
        const spent = clock.monotonic() - begun;
        if (isAtWork) await clock.sleep(Math.max(everyMs, pauses * spent), over);
        else await changes.wait(Number.POSITIVE_INFINITY, [over]);
      }
    } finally {
      changes.close();
    }
  });
}

/** False when no work is under way that could conflict. A foresight that cannot be had is no reason to end anything. */
async function lookAhead(context: EngineContext, plan: string): Promise<boolean> {
  try {
    return await foreseeConflicts(context, plan);
  } catch (error) {
    // Whoever carries the task tells of a row that cannot be read.
    if (isPassing(error) || error instanceof RowUnreadable) return true;
    throw error;
  }
}

async function foreseeConflicts({ store, workspace, actor }: EngineContext, plan: string): Promise<boolean> {
  const name = (await store.plan(plan))?.name;
  const records = (await store.active(plan, WORKS_MAX)).filter(isInWorktree).sort(firstFirst);
  if (name === undefined || records.length === 0) return false;
  const works = records.map(({ row }) => ({ plan: name, slug: row.slug, n: row.attempts }));
  const clashes = await workspace.foresee(works);
  if (clashes === null || "code" in clashes) return true;
  for (const [at, { row, attempt }] of records.entries()) {
    const conflicts = conflictsOf(at, clashes, records);
    if (isKnown(attempt?.foreseen ?? [], conflicts)) continue;
    // Refused where the task has moved on meanwhile.
    await store.submit({ type: "attempt.foresee", plan, task: row.id, attempt: row.attempts, conflicts }, { actor });
  }
  return true;
}

function isInWorktree({ row, attempt }: TaskRecord): boolean {
  return hasOwnBranch(row.mode) && attempt !== null;
}

/** What waits for its landing comes before what is worked on; of those, what began first. */
function firstFirst(a: TaskRecord, b: TaskRecord): number {
  const isLater = ({ row }: TaskRecord): number => (row.state === "claimed_done" ? 0 : 1);
  const begun = ({ attempt }: TaskRecord): number => attempt?.started_at ?? 0;
  return isLater(a) - isLater(b) || begun(a) - begun(b) || (a.row.natural_key < b.row.natural_key ? -1 : 1);
}

/** Of two works the later one has the conflict. */
function conflictsOf(at: number, clashes: readonly Clash[], records: readonly TaskRecord[]): ForeseenConflict[] {
  return clashes
    .filter(({ work, other }) => (other ?? work) === at)
    .map(({ work, other, files, total }) => ({ with: other === null ? null : records[work]!.row.id, files, total }))
    .slice(0, CONFLICTS_MAX);
}

function isKnown(before: readonly ForeseenConflict[], now: readonly ForeseenConflict[]): boolean {
  return before.length === now.length && now.every((conflict) => before.some((old) => isSameConflict(old, conflict)));
}
