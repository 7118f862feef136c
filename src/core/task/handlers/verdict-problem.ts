import type { Rejection } from "../../errors.ts";
import { reject } from "../../errors.ts";
import type { Phase } from "../../lane/lane.ts";
import type { Verdict } from "../commands/landings.ts";
import type { Draft } from "../draft.ts";

/** Why this verdict, or its absence, cannot end this phase; null when it can. */
export function verdictProblem(
  draft: Draft,
  phase: Phase,
  verdict: Verdict | null,
  by: string | null,
): Rejection | null {
  const { id, worker, work_commit } = draft.task;
  if (phase.kind !== "review")
    return verdict && reject("not_a_review", `${id} is in its phase ${phase.name}, which yields no verdict`);
  if (!verdict) return reject("verdict_missing", `the review of ${id} needs a verdict`);
  if (by !== null && by === worker) return reject("own_work", `${by} did the work of ${id}`);
  if (verdict.commit !== null && verdict.commit !== work_commit)
    return reject("verdict_stale", `the verdict is about ${verdict.commit}, and the work of ${id} is ${work_commit}`);
  return null;
}
