/** What came up in the user's checkout and in the shared repository while an attempt was at work, for its settling. */

import type { AttemptSettle } from "../core/task/commands/attempts.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import type { LiveTask } from "./live-task.ts";

/** What is named in an event; the rest is counted, or known from the log. */
const MENDED_MAX = 50;
const BESIDE_MAX = 20;

/** Looks now, before the attempt's place is given back. Who of those at work did it, or whether a person did, is not known. */
export async function foreignWhile(
  context: EngineContext,
  live: LiveTask,
): Promise<Pick<AttemptSettle, "checkout" | "repository">> {
  const { paths, total, saved, unseen, mended } = await context.workspace.foreign({ fresh: false });
  if (total === 0 && unseen === null && mended.length === 0) return {};
  const beside = await othersAtWork(context, live);
  const repository = { mended: mended.slice(0, MENDED_MAX), total: mended.length, beside };
  return {
    ...(total === 0 && unseen === null ? {} : { checkout: { paths, total, saved, unseen, beside } }),
    ...(mended.length === 0 ? {} : { repository }),
  };
}

async function othersAtWork({ store, project }: EngineContext, { task, attempt }: LiveTask): Promise<string[]> {
  const plans = await store.plans(project.id);
  const active = await Promise.all(plans.map(({ id }) => store.active(id, PAGE)));
  return active
    .flat()
    .filter(({ row, attempt: other }) => row.state === "in_progress" && other !== null && !isSame(row, other.n))
    .map(({ row }) => `${row.id}#${row.attempts}`)
    .slice(0, BESIDE_MAX);

  function isSame(row: { plan: string; id: string }, n: number): boolean {
    return row.plan === task.row.plan && row.id === task.row.id && n === attempt.n;
  }
}
