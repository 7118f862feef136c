/** What the work of an attempt will conflict with: each is told once for as long as it stays the same. */

import { reject } from "../../errors.ts";
import type { AttemptForesee } from "../commands/attempts.ts";
import type { Decision, Draft } from "../draft.ts";
import type { ForeseenConflict } from "../rows.ts";

export function foresee(draft: Draft, { attempt, conflicts }: AttemptForesee): Decision {
  const { id, state, attempts } = draft.task;
  if (state !== "in_progress" && state !== "claimed_done")
    return draft.refuse(reject("illegal_move", `${id} has no work that could conflict: it is ${state}`));
  if (attempts !== attempt)
    return draft.refuse(reject("illegal_move", `${id} is at attempt ${attempts}, and not at ${attempt}`));
  const known = draft.attempt.foreseen ?? [];
  for (const old of known)
    if (!conflicts.some((conflict) => conflict.with === old.with)) draft.add("conflict.gone", { with: old.with });
  for (const conflict of conflicts)
    if (!known.some((old) => isSameConflict(old, conflict))) draft.add("conflict.foreseen", conflict);
  return draft.done();
}

/** With the same, in the same files. */
export function isSameConflict(a: ForeseenConflict, b: ForeseenConflict): boolean {
  return a.with === b.with && a.total === b.total && a.files.join("\0") === b.files.join("\0");
}
