/** Work in a worktree whose agent may be at it this very moment: it is only looked at. */

import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { type BytePath, bytesBelow } from "./byte-paths.ts";
import { readCheckout } from "./checkout-state.ts";
import { lookAtClone } from "./clone-take-over.ts";
import { commitTree } from "./engine-commit.ts";
import type { Git } from "./git.ts";
import { copyIndex } from "./index-copy.ts";
import { type KeptWorktree, pinnedGit, untouchedWorktree } from "./kept-worktree.ts";
import { inList } from "./scratch-objects.ts";
import { diffTrees } from "./work-tree.ts";
import { readLeftHead } from "./worktree-head.ts";
import type { TakenSlot } from "./worktree-slots.ts";

/** One call of git: whoever takes longer is not worth a guess at what may come. */
export const LOOK_LIMIT_MS = 5_000;

/** Files that differ from HEAD; where there are more, a look costs too much. */
const FILES_MAX = 10_000;

const NO_FSYNC = ["-c", "core.fsync=none"];

/** Work as it stands. */
export interface UnlandedWork {
  taken: TakenSlot;
  worktree: KeptWorktree;
  /** What its agent committed last, or what it started from. */
  head: string;
  isCommitted: boolean;
  /** Is another whenever the work is. */
  stamp: string;
}

/**
 * Looks at the work of an attempt, writing nothing. Null where it cannot be told: there is no worktree, its agent is amid a
 * merge, too many files are changed. `branch`: where the work branch stands.
 */
export async function lookAtWork(
  commonDir: string,
  folder: string,
  taken: TakenSlot,
  branch: string | null,
): Promise<UnlandedWork | null> {
  const worktree = untouchedWorktree(commonDir, folder, taken.slot);
  if (worktree === null || taken.marker.conflicts.length > 0) return null;
  const left = await leftOf(folder, worktree, taken, branch);
  if (left === null || left.isAmid) return null;
  const state = await readCheckout(worktree.git, { limitMs: LOOK_LIMIT_MS, each: true });
  if (isRefusal(state) || state.dirty.length > FILES_MAX) return null;
  const { head } = left;
  const files = state.dirty.map((path) => `${path}\0${stampOf(worktree.place.top, path)}`);
  return { taken, worktree, head, isCommitted: files.length === 0, stamp: [head, ...files].join("\0") };
}

async function leftOf(
  folder: string,
  worktree: KeptWorktree,
  taken: TakenSlot,
  branch: string | null,
): Promise<{ head: string; isAmid: boolean } | null> {
  if (worktree.clone !== null) {
    const git = pinnedGit(worktree.place, {
      GIT_ALTERNATE_OBJECT_DIRECTORIES: inList(join(worktree.clone, "objects")),
    });
    return lookAtClone(git, folder, worktree, taken);
  }
  const { commit, isAmid } = await readLeftHead(worktree, taken.marker, branch);
  return { head: commit ?? taken.marker.start, isAmid };
}

function stampOf(top: string, path: BytePath): string {
  const stat = lstatSync(bytesBelow(top, path), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "gone" : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.mode}`;
}

/**
 * The work as a commit, made with `git`, which is that of the worktree but writes elsewhere; null where its files cannot be
 * taken in. `index` names a file that does not exist yet.
 */
export async function commitOf(work: UnlandedWork, git: Git, index: string): Promise<string | null> {
  const { head, isCommitted, worktree, taken } = work;
  if (isCommitted) return head;
  const env = { GIT_INDEX_FILE: index };
  const limits = { env, limitMs: LOOK_LIMIT_MS };
  if (!copyIndex(worktree.place.git_dir, index)) await git.text(["read-tree", head], limits);
  if ((await git.run([...NO_FSYNC, "add", "-A"], limits)).code !== 0) return null;
  const { copied } = taken.marker;
  if (copied.length > 0) {
    const lines = copied.map((path) => `0 ${"0".repeat(head.length)}\t${path}\0`).join("");
    await git.text(["update-index", "-z", "--index-info"], { env, input: Buffer.from(lines, "latin1") });
  }
  return commitTree(git, await git.text([...NO_FSYNC, "write-tree"], limits), [head], "as it stands\n");
}

/** The files that the work changed since it began, as byte strings. */
export async function changedPaths({ taken }: UnlandedWork, git: Git, commit: string): Promise<Set<BytePath>> {
  return new Set((await diffTrees(git, taken.marker.base, commit)).map(({ path }) => path));
}

function isRefusal(state: object): state is WorkspaceRefusal {
  return "code" in state;
}
