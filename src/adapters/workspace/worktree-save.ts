import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Saved, WorkspaceRefusal } from "../../ports/workspace.ts";
import { bytesBelow, readable } from "./byte-paths.ts";
import type { Checkout } from "./checkout.ts";
import { commitTree } from "./engine-commit.ts";
import type { Git } from "./git.ts";
import { commitAt } from "./head.ts";
import { keepSaved, NO_COMMIT } from "./kept-refs.ts";
import { dropIndex, freeName, type KeptWorktree, keptWorktree } from "./kept-worktree.ts";
import { holdsCommit } from "./move-ref.ts";
import { restoreEntries } from "./restore-entries.ts";
import { writeWhatCanBe } from "./work-tree.ts";
import { chooseParent, type Parent } from "./worktree-choice.ts";
import { readLeftHead } from "./worktree-head.ts";
import { labelOf, type WorktreeSettings, workRef } from "./worktree-settings.ts";
import { releaseSlot, type SlotMarker, type TakenSlot } from "./worktree-slots.ts";

/**
 * Keeps what an attempt left in its worktree, commits and files, at a saved ref and on the work branch, then frees the
 * slot. The files stay until the slot is taken again.
 */
export async function closeSlot(
  { git, place }: Checkout,
  settings: WorktreeSettings,
  { slot, marker }: TakenSlot,
): Promise<Saved | WorkspaceRefusal> {
  const { folder } = settings;
  const worktree = keptWorktree(place.common_dir, folder, slot, `ref: ${workRef(marker)}`);
  if (marker.state === "preparing") {
    if (marker.work !== null) await git.text(["update-ref", workRef(marker), marker.work]);
  } else if (worktree !== null) {
    const saved = await saveWork(worktree, settings, marker);
    releaseSlot(folder, slot);
    return { saved };
  }
  releaseSlot(folder, slot);
  return { saved: null };
}

async function saveWork(
  worktree: KeptWorktree,
  settings: WorktreeSettings,
  marker: SlotMarker,
): Promise<string | null> {
  const { git } = worktree;
  await putRepositoriesAside(worktree, join(settings.folder, `${worktree.name}.repository`));
  const left = await readLeftHead(worktree, marker, await commitAt(git, workRef(marker)));
  const files = await leftFiles(worktree, marker, left.commit ?? marker.start);
  const from = await chooseParent(git, marker, left, files.isDirty);
  // What builds on something else is kept, but no next attempt starts from it.
  const parent = "code" in from ? { commit: left.commit ?? marker.start, hasFiles: true } : from;
  const commit = await commitLeft(git, marker, parent, files, left.merging);
  const saved = commit === marker.base ? null : await keepSaved(git, marker, commit);
  const { branch } = left;
  if (branch !== null && branch !== marker.base && !(await holdsCommit(git, commit, branch)))
    await keepSaved(git, marker, branch);
  if (!("code" in from)) await git.text(["update-ref", workRef(marker), commit, branch ?? NO_COMMIT]);
  // The branch that the agent went to is free for the user again.
  if (!left.isOnBranch) await git.text(["symbolic-ref", "HEAD", workRef(marker)]);
  return saved;
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

/** Git would leave the files of a repository inside the repository out: without its `.git` they are files like others. */
async function putRepositoriesAside(worktree: KeptWorktree, aside: string): Promise<void> {
  const { git, place } = worktree;
  const list = ["ls-files", "-z", "--others", "--exclude-standard"];
  if ((await git.run(list)).code !== 0) dropIndex(worktree);
  const untracked = await git.items(list);
  for (const path of untracked.filter((name) => name.endsWith("/"))) {
    const target = freeName(`${aside}-${readable(path).replaceAll("/", "_")}`);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(bytesBelow(place.top, `${path}.git`), target);
  }
}
