import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Candidate, LandOutcome, Preparing, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { unlikeChecked } from "./checked-candidate.ts";
import { type Checkout, inCheckout } from "./checkout.ts";
import { attemptRef, keepAttempt } from "./kept-refs.ts";
import type { KeptWorktree } from "./kept-worktree.ts";
import { freeLanding, takeLanding } from "./landing-worktree.ts";
import { holdsCommit, moveBack, moveRef, wasMoved } from "./move-ref.ts";
import { readCommit, readRefs } from "./read-refs.ts";
import { recordRef } from "./shared-refs.ts";
import { guardRepository } from "./shared-repository.ts";
import { detachFrom, foretellTarget, keepTarget } from "./shared-targets.ts";
import { copyFiles } from "./worktree-copies.ts";
import type { TrackedFiles } from "./worktree-index.ts";
import { resetDetached } from "./worktree-reset.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";
import { endOldSetup, forgetSetup, setUp } from "./worktree-setup.ts";
import { releaseSlot, slotOf } from "./worktree-slots.ts";
import { checkedOut } from "./worktree-start.ts";

/**
 * Checks a candidate out where no other landing's checks run, and makes it ready for its own. Gives the project's
 * directory there.
 */
export async function checkOutCandidate(
  settings: WorktreeSettings,
  task: WorkspaceTask,
  { target, commit }: { target: string; commit: string },
  preparing: Preparing & { clean?: boolean },
): Promise<string | WorkspaceRefusal> {
  const worktree = await inCheckout(settings.top, settings.locks, (checkout) =>
    takeLanding(checkout, settings, task, { target, commit }),
  );
  if ("code" in worktree) return worktree;
  await endOldSetup(settings, worktree.name);
  const tracked = await resetDetached(worktree, commit, preparing.clean ? "go" : "stay");
  if (preparing.clean) forgetSetup(settings, worktree);
  const refusal = await makeReady(settings, task, worktree, tracked, preparing);
  if (refusal !== null) return refusal;
  const dir = join(worktree.place.top, settings.below);
  mkdirSync(dir, { recursive: true });
  return dir;
}

async function makeReady(
  settings: WorktreeSettings,
  task: WorkspaceTask,
  worktree: KeptWorktree,
  tracked: TrackedFiles,
  preparing: Preparing,
): Promise<WorkspaceRefusal | null> {
  if (settings.copy.length === 0 && settings.setup === null) return null;
  const copied = await copyFiles(settings, worktree, tracked);
  return "code" in copied ? copied : setUp(settings, task, worktree, tracked, preparing);
}

/** Moves the target to the candidate and frees the attempt's slot, see `Workspace.land`. */
export async function landFromWorktree(
  checkout: Checkout,
  settings: WorktreeSettings,
  task: WorkspaceTask,
  candidate: Candidate,
): Promise<LandOutcome> {
  const { git } = checkout;
  const { folder } = settings;
  const { target, tip, commit } = candidate;
  if (target === null || tip === null || commit === null) return { landed: true };
  await guardRepository(checkout, settings);
  const pin = attemptRef(task);
  const refs = await readRefs(git, [target, pin]);
  const branch = refs.get(target) ?? null;
  const kept = refs.get(pin)?.commit === commit ? refs.get(pin) : undefined;
  const unlike = unlikeChecked(candidate, kept ?? (await readCommit(git, commit)));
  if (unlike !== null) return unlike;
  if (candidate.is_theirs && !(await holdsCommit(git, commit, tip)))
    return { landed: false, reason: "undone", text: `the commit ${commit} does not have ${tip}` };
  if (kept === undefined) recordRef(settings.records, await keepAttempt(git, task, commit), commit);
  const taken = checkedOut(branch, folder);
  if (taken !== null) return { landed: false, reason: "target_checked_out", text: taken.text };
  if (branch !== null && branch.checked_out !== null) await detachFrom(checkout, settings, target);
  // What stands on a commit that lockstep did not put there never lands.
  const isOurs = branch?.commit === tip && foretellTarget(settings, target, tip, commit);
  const moved = await (isOurs
    ? moveRef(checkout, task, { target, tip, commit })
    : wasMoved(git, { target, tip, commit }));
  if (isOurs) keepTarget(settings, target, moved.landed ? commit : tip);
  if (moved.landed) freeLanding(folder, task);
  const slot = moved.landed ? slotOf(folder, task) : null;
  if (slot !== null) releaseSlot(folder, slot.slot);
  return moved;
}

/** Moves the target back to where it stood before a landing, see `Workspace.takeBack`. */
export async function takeBackLanding(
  checkout: Checkout,
  settings: WorktreeSettings,
  task: WorkspaceTask,
  { target, tip, commit }: Pick<Candidate, "target" | "tip" | "commit">,
): Promise<boolean> {
  if (target === null || tip === null || commit === null || tip === commit) return false;
  await guardRepository(checkout, settings);
  const branch = (await readRefs(checkout.git, [target])).get(target) ?? null;
  if (branch?.commit !== commit || checkedOut(branch, settings.folder) !== null) return false;
  if (branch.checked_out !== null) await detachFrom(checkout, settings, target);
  // Foretold like a move ahead: a crash in between leaves it rightly at either.
  if (!foretellTarget(settings, target, commit, tip)) return false;
  const isBack = await moveBack(checkout.git, task, { target, tip, commit });
  keepTarget(settings, target, isBack ? tip : commit);
  return isBack;
}
