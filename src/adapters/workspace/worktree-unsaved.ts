import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { bytesBelow, readable } from "./byte-paths.ts";
import { isGone } from "./file-entry.ts";
import { type Git, GitFailure } from "./git.ts";
import { commitAt, readHead } from "./head.ts";
import { attemptRefs, savedRefs } from "./kept-refs.ts";
import type { KeptWorktree } from "./kept-worktree.ts";
import { readRefs } from "./read-refs.ts";
import { restoreEntries } from "./restore-entries.ts";
import { withScratchObjects } from "./scratch-objects.ts";
import { diffTrees, type TreeChange, withIndex } from "./work-tree.ts";
import { type WorktreeSettings, workRef } from "./worktree-settings.ts";

/**
 * What a worktree that no attempt has holds that no ref keeps, as the end of a sentence; null when nothing. Ignored files
 * are no work. The repository is not written to.
 */
export async function unsavedWork(
  { top, copy }: WorktreeSettings,
  worktree: KeptWorktree,
  last: string | null,
): Promise<string | null> {
  const { git, place } = worktree;
  const head = await commitAt(git, "HEAD");
  if (head === null) return "its branch is gone, so that what it holds cannot be told";
  if ((await readHead(git)).branch === null && !(await isKept(git, head)))
    return "its HEAD is at a commit that no branch has";
  return withScratchObjects(git, async (scratch) => {
    const files = await filesOf({ ...worktree, git: scratch });
    if (files === null) return "it holds files that cannot be read";
    const copies = copy.length === 0 ? [] : files.changes.filter((change) => isCopy(top, place.top, change));
    const changes = files.changes.filter((change) => !copies.includes(change));
    if (changes.length === 0) return null;
    const tree = await restoreEntries(scratch, place, files.tree, copies);
    if (await isTreeKept(git, last, tree)) return null;
    return `it holds changes that are saved nowhere (${readable(changes[0]!.path)})`;
  });
}

/** The tree of all files that are not ignored, and what of it differs from HEAD; null when some cannot be read. */
async function filesOf({ git, place }: KeptWorktree): Promise<{ tree: string; changes: TreeChange[] } | null> {
  return withIndex(place, async (env) => {
    // The worktree's own index may tell git to overlook files.
    await git.text(["read-tree", "HEAD"], { env });
    if ((await git.run(["add", "-A"], { env })).code !== 0) return null;
    const tree = await git.text(["write-tree"], { env });
    return { tree, changes: await diffTrees(git, "HEAD", tree, { env }) };
  });
}

/** A file that git does not know and that is as in the user's checkout was copied from there. */
function isCopy(from: string, to: string, { path, old_mode }: TreeChange): boolean {
  if (!/^0+$/.test(old_mode)) return false;
  const [theirs, ours] = [contentOf(bytesBelow(from, path)), contentOf(bytesBelow(to, path))];
  return theirs !== null && ours !== null && theirs.equals(ours);
}

function contentOf(file: Buffer): Buffer | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  try {
    if (stat?.isSymbolicLink()) return readlinkSync(file, "buffer");
    return stat?.isFile() ? readFileSync(file) : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

async function isKept(git: Git, commit: string): Promise<boolean> {
  const { code, stdout, stderr } = await git.run(["for-each-ref", "--count=1", "--contains", commit]);
  if (code !== 0) throw new GitFailure(`git for-each-ref failed: ${stderr.trim()}`);
  return stdout.length > 0;
}

/** A ref of the task that had the worktree last has this very tree. */
async function isTreeKept(git: Git, last: string | null, tree: string): Promise<boolean> {
  const [plan, slug] = (last ?? "").split("/");
  if (plan === undefined || slug === undefined) return false;
  const refs = await readRefs(git, [
    savedRefs({ plan, slug }),
    `${attemptRefs(plan)}${slug}/`,
    workRef({ plan, slug }),
  ]);
  return [...refs.values()].some((ref) => ref.tree === tree);
}
