import type { Candidate, LandOutcome, WorkspaceTask } from "../../ports/workspace.ts";
import { unlikeChecked } from "./checked-candidate.ts";
import type { Checkout } from "./checkout.ts";
import { GitFailure } from "./git.ts";
import { writeRecord } from "./in-place-record.ts";
import { saveInPlace } from "./in-place-save.ts";
import { moveRef } from "./move-ref.ts";
import { readCommit } from "./read-refs.ts";

/**
 * Moves the target to the candidate, then brings the index after it and saves what the checks left behind. All but the
 * first step can be made up for later.
 */
export async function landInPlace(checkout: Checkout, task: WorkspaceTask, candidate: Candidate): Promise<LandOutcome> {
  const moved = await moveTarget(checkout, task, candidate);
  if (!moved.landed) return moved;
  try {
    const left = await saveInPlace(checkout, task);
    return "saved" in left && left.saved !== null ? { landed: true, left: left.saved } : { landed: true };
  } catch (error) {
    // The target has moved, and that is what counts; the next `open` brings the index after it, or says what hinders.
    if (error instanceof GitFailure) return { landed: true };
    throw error;
  }
}

/** The first half of a landing: the compare-and-set. */
export async function moveTarget(checkout: Checkout, task: WorkspaceTask, candidate: Candidate): Promise<LandOutcome> {
  const { git, folder } = checkout;
  const { target, tip, commit } = candidate;
  if (target === null || tip === null || commit === null) return { landed: true };
  const unlike = unlikeChecked(candidate, await readCommit(git, commit));
  if (unlike !== null) return unlike;
  const { plan, slug, n } = task;
  writeRecord(folder, { state: "landing", branch: target, base: tip, plan, slug, n, commit, tree: null, saved: null });
  return moveRef(checkout, task, { target, tip, commit });
}
