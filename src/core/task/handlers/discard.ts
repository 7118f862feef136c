/** A task's work is not wanted: it begins again without, one phase back. Whoever has the workspace keeps the work first. */

import type { Rejection } from "../../errors.ts";
import { reject } from "../../errors.ts";
import { lastWorkPhase } from "../../lane/lane.ts";
import type { Draft } from "../draft.ts";
import type { Stop, TaskRow } from "../rows.ts";
import { laneOf } from "./lane-of.ts";
import { withdrawItems } from "./withdraw-items.ts";

/** Why the task's work cannot be discarded; null when it can. */
export function undiscardable(draft: Draft): Rejection | null {
  const { id, state, mode, target, unlanded } = draft.task;
  if (mode === "none")
    return reject("shared_tree", `the work of ${id} is not lockstep's to discard: its worker brought the place`);
  if (mode === "in_place" && !target.startsWith("refs/"))
    return reject("shared_tree", `the work of ${id} is in a plain directory, which cannot be reset to what was before`);
  switch (state) {
    case "in_progress":
    case "claimed_done":
    case "blocked":
      return null;
    case "pending":
      return unlanded ? null : reject("nothing_to_discard", `${id} has no work that has not landed`);
    case "verified":
      return reject("illegal_move", `the work of ${id} has landed`, "`lockstep revert TASK` undoes it.");
    default:
      return reject(
        "illegal_move",
        `${id} is ${state}`,
        "`lockstep task retry TASK --fresh` starts it again without its work.",
      );
  }
}

/** Of a task that has no live attempt. Its last conversation is over too, as that attempt's stop says. */
export function discardEnded(draft: Draft, stop: Stop): Draft {
  withdrawItems(draft, stop.why);
  const set = withoutWork(draft);
  if (draft.rows.attempt !== null) draft.add("attempt.stopping", { stop });
  return draft.move("pending", "handed_back", { ...set, last_error: stop.why, due_at: null });
}

/** What a task begins again with whose work is discarded. No try is spent, and none is given back. */
export function withoutWork(draft: Draft): Partial<TaskRow> {
  return {
    phase: phaseBefore(draft),
    unlanded: false,
    dirty: false,
    approved: false,
    rulings: null,
    work_commit: null,
    worker: null,
  };
}

/** The last work phase, where its work is at the checks or in review; else the phase before the one that is due. */
function phaseBefore(draft: Draft): number {
  const { state, phase } = draft.task;
  const last = lastWorkPhase(laneOf(draft));
  const isWorkDone = phase > last || (phase === last && (state === "claimed_done" || state === "blocked"));
  return isWorkDone ? last : Math.max(0, phase - 1);
}
