import type { Saved, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { newest } from "./git-evidence.ts";
import { commitAt } from "./head.ts";
import { keepSaved, savedRefs } from "./kept-refs.ts";
import { freeLanding } from "./landing-worktree.ts";
import { holdsCommit } from "./move-ref.ts";
import { readRefs } from "./read-refs.ts";
import { recordRef } from "./shared-refs.ts";
import { guardRepository } from "./shared-repository.ts";
import { closeSlot } from "./worktree-save.ts";
import { type WorktreeSettings, workRef } from "./worktree-settings.ts";
import { isOfTask, slotOf, takenSlots } from "./worktree-slots.ts";

/** See `Workspace.discard`. */
export async function discardFromWorktree(
  checkout: Checkout,
  settings: WorktreeSettings,
  task: WorkspaceTask,
  target: string,
): Promise<Saved | WorkspaceRefusal> {
  const { folder, records } = settings;
  const { git } = checkout;
  freeLanding(folder, task);
  await guardRepository(checkout, settings);
  const slot = slotOf(folder, task);
  const closed = slot === null ? null : await closeSlot(checkout, settings, slot);
  if (closed !== null && "code" in closed) return closed;
  // Once the next attempt has begun the branch is its own, and what it was before is kept.
  const isAnothers = takenSlots(folder).some(({ marker }) => isOfTask(marker, task));
  const work = isAnothers ? null : await commitAt(git, workRef(task));
  if (work !== null && !(await holdsCommit(git, target, work))) {
    const saved = await keepSaved(git, task, work);
    recordRef(records, saved, work);
    return { saved };
  }
  const refs = await readRefs(git, [savedRefs(task)]);
  return { saved: newest([...refs.values()])?.name ?? null };
}
