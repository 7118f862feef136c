/** A clone for one attempt, made anew each time: nothing that an earlier agent left in its git reaches the next one. */

import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { configOfClone } from "./clone-config.ts";
import { dropClone, writeRecord } from "./clone-record.ts";
import { readCloneState } from "./clone-state.ts";
import { GitFailure, gitIn } from "./git.ts";
import { copyIndex } from "./index-copy.ts";
import { type KeptWorktree, keptWorktree, noteOf, writeNote } from "./kept-worktree.ts";
import { type WorktreeSettings, workRef } from "./worktree-settings.ts";
import type { SlotMarker } from "./worktree-slots.ts";

/** A copy of the objects fails where another git writes some just then. */
const COPIES_MAX = 3;

/** What a git is to see of the repository that is no ref, object or setting. */
const INFO = ["info/attributes", "info/exclude"];

/** What git keeps of a merge that is under way. */
const MERGE = ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"];

/**
 * The worktree as the mode wants it, without the git that its last agent had: for a clone there is none until `placeClone`.
 * Nobody works there yet.
 */
export function withoutClone({ folder, mode }: WorktreeSettings, worktree: KeptWorktree, head: string): KeptWorktree {
  const { name, place } = worktree;
  const has_clone = mode === "clone";
  const note = noteOf(folder, name)!;
  if (!has_clone && !note.has_clone) return worktree;
  if (note.has_clone) dropClone(folder, name);
  writeNote(folder, name, { ...note, has_clone });
  if (has_clone) rmSync(join(place.top, ".git"), { recursive: true, force: true });
  return keptWorktree(place.common_dir, folder, name, head)!;
}

/** Gives the worktree a clone of the repository, with all of its branches and tags, and without a remote. */
export async function placeClone(
  settings: WorktreeSettings,
  worktree: KeptWorktree,
  marker: SlotMarker,
): Promise<void> {
  const { clone, name, place } = worktree;
  if (clone === null) return;
  const { folder } = settings;
  const half = join(folder, `${name}.clone-${process.pid}`);
  await copyRepository(place.common_dir, half);
  mkdirSync(join(half, "info"), { recursive: true });
  for (const file of INFO)
    if (lstatSync(join(place.common_dir, file), { throwIfNoEntry: false })?.isFile())
      copyFileSync(join(place.common_dir, file), join(half, file));
  writeFileSync(join(half, "config"), await configOfClone(folder, place.common_dir));
  writeFileSync(join(half, "HEAD"), `ref: ${workRef(marker)}\n`);
  copyIndexes(place.git_dir, half);
  rmSync(clone, { recursive: true, force: true });
  renameSync(half, clone);
}

/** Has the clone stand where the worktree stands, once that is ready: branch, index, a merge under way. */
export async function finishClone(
  settings: WorktreeSettings,
  worktree: KeptWorktree,
  marker: SlotMarker,
): Promise<void> {
  const { clone, git, place, name } = worktree;
  if (clone === null) return;
  const branch = join(clone, workRef(marker));
  mkdirSync(dirname(branch), { recursive: true });
  writeFileSync(branch, `${marker.start}\n`);
  copyIndexes(place.git_dir, clone);
  const merging = MERGE.filter((file) => existsSync(join(place.git_dir, file)));
  for (const file of merging) copyFileSync(join(place.git_dir, file), join(clone, file));
  // What git has merged without a conflict only the index has.
  if (merging.length > 0) {
    const pack = join(clone, "objects/pack/pack");
    mkdirSync(dirname(pack), { recursive: true });
    await git.text(["pack-objects", "--quiet", "--revs", "--indexed-objects", pack], { input: `^${marker.start}\n` });
  }
  const given = readCloneState(clone)?.refs ?? [];
  writeRecord(settings.folder, name, { given, taken: null, commit: null, is_whole: false });
}

/** The branches and tags, and every object, as files that are no other repository's; not its hooks and settings. */
async function copyRepository(from: string, to: string): Promise<void> {
  // Objects that lie elsewhere would not be copied.
  const borrows = existsSync(join(from, "objects/info/alternates"));
  for (let copy = 1; ; copy += 1) {
    rmSync(to, { recursive: true, force: true });
    // Git's own way takes several times as long, and does not mind who writes meanwhile.
    const how = borrows || copy === COPIES_MAX ? "--no-local" : "--no-hardlinks";
    const args = ["clone", "--quiet", "--bare", how, "--template=", "--", from, to];
    try {
      await gitIn(dirname(to)).text(args);
      return;
    } catch (error) {
      if (!(error instanceof GitFailure) || copy === COPIES_MAX) throw error;
    }
  }
}

/** One that is split has its larger part in a file beside it. */
function copyIndexes(from: string, to: string): void {
  copyIndex(from, join(to, "index"));
  for (const name of readdirSync(from).filter((file) => file.startsWith("sharedindex.")))
    copyFileSync(join(from, name), join(to, name));
}
