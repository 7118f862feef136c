import type { LandOutcome, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { type Git, GitFailure } from "./git.ts";
import { commitAt } from "./head.ts";
import { looseRef } from "./loose-ref.ts";

interface Move {
  /** Full name of a branch. */
  target: string;
  /** What it has to stand at. */
  tip: string;
  commit: string;
}

/**
 * Moves a branch by compare-and-set, in the name of an attempt. One that holds the commit already has been moved. What git
 * says of it is held against where the branch stands.
 */
export async function moveRef(
  { git, place }: Pick<Checkout, "git" | "place">,
  task: WorkspaceTask,
  { target, tip, commit }: Move,
): Promise<LandOutcome> {
  const message = `lockstep: ${task.plan}/${task.slug}#${task.n}`;
  const moved = await git.run(["update-ref", "--no-deref", "-m", message, target, commit, tip]);
  // A branch that has just moved is a file of its own, unless the repository keeps refs otherwise.
  if (moved.code === 0 && looseRef(place.common_dir, target) === commit) return { landed: true };
  const now = await commitAt(git, target);
  if (moved.code === 0 && now === commit) return { landed: true };
  const outcome = await wasMoved(git, { target, tip, commit });
  if (outcome.landed || now !== tip) return outcome;
  if (moved.code !== 0) return { landed: false, reason: "git", text: moved.stderr.trim() };
  return { landed: false, reason: "undone", text: `git said that it moved ${target}, which stands where it stood` };
}

/** Moves a branch back from the commit to the tip, by compare-and-set. False when it has moved on. */
export async function moveBack(git: Git, task: WorkspaceTask, { target, tip, commit }: Move): Promise<boolean> {
  const message = `lockstep: ${task.plan}/${task.slug}#${task.n} taken back`;
  const moved = await git.run(["update-ref", "--no-deref", "-m", message, target, tip, commit]);
  if (moved.code === 0) return true;
  if ((await commitAt(git, target)) !== commit) return false;
  throw new GitFailure(`git update-ref failed: ${moved.stderr.trim()}`);
}

/** Whether a branch that is not at the tip any more was moved there before. */
export async function wasMoved(git: Git, { target, tip, commit }: Move): Promise<LandOutcome> {
  if (commit !== tip && (await holdsCommit(git, target, commit))) return { landed: true };
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
