import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Candidate, LandOutcome, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { type Checkout, inCheckout } from "./checkout.ts";
import { ensureWorktree, type KeptWorktree } from "./kept-worktree.ts";
import { moveRef } from "./move-ref.ts";
import { readRefs } from "./read-refs.ts";
import { copyFiles } from "./worktree-copies.ts";
import { readIndex } from "./worktree-index.ts";
import { resetDetached } from "./worktree-reset.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";
import { setUp } from "./worktree-setup.ts";
import { releaseSlot, slotOf } from "./worktree-slots.ts";
import { checkedOut } from "./worktree-start.ts";

/** Characters of a hash that tell targets apart. */
const NAME_DIGITS = 12;

/**
 * Checks a candidate out in the worktree that is kept for its target, and makes it ready for checks. Gives the project's
 * directory there. The target's landing lease says that nobody else's checks run there now.
 */
export async function checkOutCandidate(
  settings: WorktreeSettings,
  task: WorkspaceTask,
  { target, commit }: { target: string; commit: string },
): Promise<string | WorkspaceRefusal> {
  const name = `landing-${createHash("sha256").update(target).digest("hex").slice(0, NAME_DIGITS)}`;
  const worktree = await inCheckout<KeptWorktree | WorkspaceRefusal>(settings.top, settings.locks, async (checkout) => {
    const kept = await ensureWorktree(checkout, { folder: settings.folder, name, commit });
    if (!("code" in kept)) await resetDetached(kept, commit);
    return kept;
  });
  if ("code" in worktree) return worktree;
  const refusal = await makeReady(settings, task, worktree);
  if (refusal !== null) return refusal;
  const dir = join(worktree.place.top, settings.below);
  mkdirSync(dir, { recursive: true });
  return dir;
}

async function makeReady(
  settings: WorktreeSettings,
  task: WorkspaceTask,
  worktree: KeptWorktree,
): Promise<WorkspaceRefusal | null> {
  if (settings.copy.length === 0 && settings.setup === null) return null;
  const tracked = await readIndex(worktree.git);
  const copied = await copyFiles(settings, worktree, tracked);
  return "code" in copied ? copied : setUp(settings, task, worktree, tracked);
}

/** Moves the target to the candidate and frees the attempt's slot, see `Workspace.land`. */
export async function landFromWorktree(
  { git }: Checkout,
  { folder }: WorktreeSettings,
  task: WorkspaceTask,
  { target, tip, commit }: Candidate,
): Promise<LandOutcome> {
  if (target === null || tip === null || commit === null) return { landed: true };
  const taken = checkedOut((await readRefs(git, [target])).get(target) ?? null);
  if (taken !== null) return { landed: false, reason: "target_checked_out", text: taken.text };
  const moved = await moveRef(git, task, { target, tip, commit });
  const slot = moved.landed ? slotOf(folder, task) : null;
  if (slot !== null) releaseSlot(folder, slot.slot);
  return moved;
}
