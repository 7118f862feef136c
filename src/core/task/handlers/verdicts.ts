/** Reviews: who may give a verdict, about which work. */

import type { Rejection } from "../../errors.ts";
import { reject } from "../../errors.ts";
import type { Phase } from "../../lane/lane.ts";
import { phaseAt } from "../../lane/lane.ts";
import type { Verdict, VerdictGive } from "../commands.ts";
import { NO_CAPS } from "../commands.ts";
import type { Decision, Draft } from "../draft.ts";
import { beginAttempt } from "./claim.ts";
import { laneOf } from "./lane-of.ts";
import { plainly, settle } from "./settle.ts";

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

/** A person's verdict: their review is claimed and ended in one step. */
export function give(draft: Draft, command: VerdictGive): Decision {
  const { state, id } = draft.task;
  const phase = phaseAt(laneOf(draft), draft.task.phase);
  const verdict: Verdict = { word: command.word, comments: command.comments, commit: command.commit };
  const problem = verdictProblem(draft, phase, verdict, command.by);
  if (problem) return draft.refuse(problem);
  if (state !== "pending")
    return draft.refuse(reject("not_ready", `the review of ${id} cannot be given now: it is ${state}`));
  const { holder, by } = command;
  beginAttempt(draft, {
    kind: "external",
    agent: by,
    holder,
    expires_at: draft.now,
    run: null,
    base: { commit: null, tree: null },
    caps: NO_CAPS,
  });
  settle(draft, { ...plainly("succeeded"), verdict });
  return draft.done();
}
