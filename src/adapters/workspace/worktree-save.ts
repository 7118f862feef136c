import type { Saved, WorkspaceRefusal } from "../../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { dropClone } from "./clone-record.ts";
import { findLeftHead } from "./clone-take-over.ts";
import { commitTree } from "./engine-commit.ts";
import type { Git } from "./git.ts";
import { commitAt } from "./head.ts";
import { keepSaved, NO_COMMIT } from "./kept-refs.ts";
import { dropBranchLock, type KeptWorktree, keptWorktree } from "./kept-worktree.ts";
import { holdsCommit } from "./move-ref.ts";
import { putRepositoriesAside } from "./repositories-aside.ts";
import { restoreEntries } from "./restore-entries.ts";
import { recordRef } from "./shared-refs.ts";
import { writeWhatCanBe } from "./work-tree.ts";
import { chooseParent, type Parent } from "./worktree-choice.ts";
import { isWorktreeGone } from "./worktree-gone.ts";
import type { LeftHead } from "./worktree-head.ts";
import { labelOf, type WorktreeSettings, workRef } from "./worktree-settings.ts";
import { releaseSlot, type SlotMarker, type TakenSlot } from "./worktree-slots.ts";

/**
 * Keeps what an attempt left in its worktree, commits and files, at a saved ref and on the work branch, then frees the
 * slot. The files stay until the slot is taken again.
 */
export async function closeSlot(
  { git, place }: Checkout,
  settings: WorktreeSettings,
  taken: TakenSlot,
): Promise<Saved | WorkspaceRefusal> {
  const { folder } = settings;
  const { slot, marker } = taken;
  if (marker.state === "preparing") {
    const kept = keptWorktree(place.common_dir, folder, slot, `ref: ${workRef(marker)}`);
    // Nobody was let in: what stands there is what was about to be given.
    if (kept !== null && kept.clone !== null) dropClone(folder, slot);
    if (marker.work !== null) await git.text(["update-ref", workRef(marker), marker.work]);
    releaseSlot(folder, slot);
    return { saved: null };
  }
  dropBranchLock(place, marker);
  const isGone = await isWorktreeGone(git, folder, taken);
  const worktree = keptWorktree(place.common_dir, folder, slot, `ref: ${workRef(marker)}`);
  const files = worktree === null ? null : await saveFiles(worktree, settings, taken, isGone);
  const saved = files ?? (isGone ? await saveBranch(git, marker) : null);
  if (saved !== null) recordRef(settings.records, saved, await git.text(["rev-parse", saved]));
  releaseSlot(folder, slot);
  return { saved };
}

/** Of a worktree that is gone there are only commits. Where there are none either, the task has what it had before. */
async function saveBranch(git: Git, marker: SlotMarker): Promise<string | null> {
  const branch = await commitAt(git, workRef(marker));
  if (branch !== null && branch !== marker.start) return keepSaved(git, marker, branch);
  if (marker.work !== null) await git.text(["update-ref", workRef(marker), marker.work]);
  return null;
}

async function saveFiles(
  worktree: KeptWorktree,
  settings: WorktreeSettings,
  taken: TakenSlot,
  isGone: boolean,
): Promise<string | null> {
  const { git } = worktree;
  const { marker } = taken;
  await putRepositoriesAside(worktree, settings.folder, marker.start);
  const left = await headToSave(worktree, settings, taken);
  const files = await leftFiles(worktree, marker, left.commit ?? marker.start);
  const from = isGone ? null : await chooseParent(git, marker, left, files.isDirty);
  // What builds on something else, or on what is gone, is kept, but no next attempt starts from it.
  const isApart = from === null || "code" in from;
  const parent = isApart ? { commit: left.commit ?? marker.start, hasFiles: true } : from;
  const commit = await commitLeft(git, marker, parent, files, left.merging);
  const saved = commit === marker.base ? null : await keepSaved(git, marker, commit);
  const { branch } = left;
  if (branch !== null && branch !== marker.base && !(await holdsCommit(git, commit, branch)))
    await keepSaved(git, marker, branch);
  if (!isApart) {
    left.settledAs(commit);
    await git.text(["update-ref", workRef(marker), commit, branch ?? NO_COMMIT]);
  }
  // The branch that the agent went to is free for the user again.
  if (!left.isOnBranch) await git.text(["symbolic-ref", "-m", "lockstep", "HEAD", workRef(marker)]);
  return saved;
}

/** A clone that does not give its commits keeps them: the files are saved on what the attempt was given. */
async function headToSave(worktree: KeptWorktree, settings: WorktreeSettings, taken: TakenSlot): Promise<LeftHead> {
  const left = await findLeftHead(worktree.git, settings, worktree, taken);
  if (!("code" in left)) return left;
  const branch = await commitAt(worktree.git, workRef(taken.marker));
  const commit = branch ?? taken.marker.start;
  return { isOnBranch: true, commit, branch, merging: null, isAmid: false, settledAs: () => {} };
}

interface LeftFiles {
  tree: string;
  isDirty: boolean;
}

async function leftFiles({ git, place }: KeptWorktree, { copied }: SlotMarker, head: string): Promise<LeftFiles> {
  const { tree, changes } = await writeWhatCanBe(git, place, head);
  const undone = changes.filter(({ path }) => copied.includes(path));
  return { tree: await restoreEntries(git, place, tree, undone), isDirty: changes.length > undone.length };
}

/** The files as a commit on their parent; the parent itself when they are the same. */
async function commitLeft(
  git: Git,
  marker: SlotMarker,
  { commit, hasFiles }: Pick<Parent, "commit" | "hasFiles">,
  { tree, isDirty }: LeftFiles,
  merging: string | null,
): Promise<string> {
  if (!hasFiles || (!isDirty && merging === null)) return commit;
  const label = labelOf(marker);
  const parents = merging === null ? [commit] : [commit, merging];
  return commitTree(git, tree, parents, `Saved work of ${label}\n\nLockstep-Saved: ${label}\n`);
}
