import type { Candidate, LandOutcome, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { type Git, GitFailure } from "./git.ts";
import { commitAt } from "./head.ts";
import { writeRecord } from "./in-place-record.ts";
import { saveInPlace } from "./in-place-save.ts";

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
export async function moveTarget(
  { git, folder }: Checkout,
  task: WorkspaceTask,
  candidate: Candidate,
): Promise<LandOutcome> {
  const { target, tip, commit } = candidate;
  if (target === null || tip === null || commit === null) return { landed: true };
  const { plan, slug, n } = task;
  writeRecord(folder, { state: "landing", branch: target, base: tip, plan, slug, n, commit, tree: null, saved: null });
  const message = `lockstep: ${plan}/${slug}#${n}`;
  const moved = await git.run(["update-ref", "--no-deref", "-m", message, target, commit, tip]);
  if (moved.code === 0 || (commit !== tip && (await holdsCommit(git, target, commit)))) return { landed: true };
  if ((await commitAt(git, target)) === tip) return { landed: false, reason: "git", text: moved.stderr.trim() };
  return {
    landed: false,
    reason: "target_moved",
    text: `${target} moved while the checks ran: they count for the old tip only`,
  };
}

/** True when the ref's history holds the commit; a commit or ref that does not exist is held by nothing. */
export async function holdsCommit(git: Git, ref: string, commit: string): Promise<boolean> {
  const { code, stderr } = await git.run(["merge-base", "--is-ancestor", commit, ref]);
  if (code === 0) return true;
  if (code === 1 || /Not a valid (object|commit) name/.test(stderr)) return false;
  throw new GitFailure(`git merge-base failed: ${stderr.trim()}`);
}
