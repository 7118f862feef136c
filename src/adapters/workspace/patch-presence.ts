import { commitTree } from "./engine-commit.ts";
import { type Git, GitFailure } from "./git.ts";
import { commitAt } from "./head.ts";
import { holdsCommit } from "./move-ref.ts";
import { withScratchObjects } from "./scratch-objects.ts";

/** Hash of a commit's tree, or null when there is no such commit. */
export async function treeOf(git: Git, commit: string): Promise<string | null> {
  const { code, stdout } = await git.run(["rev-parse", "-q", "--verify", `${commit}^{tree}`]);
  return code === 0 ? stdout.toString("utf8").trim() : null;
}

interface Work {
  /** Full name of the branch, or a commit. */
  target: string;
  commit: string;
  /** The commit that the work started from. */
  base: string;
}

/**
 * Whether a target has the work between `base` and `commit`: the commit itself, each of its patches, or all of it as
 * one patch, in what the target gained since `base`. The repository is not written to.
 */
export async function patchPresent(git: Git, { target, commit, base }: Work): Promise<boolean> {
  const [tree, start, end] = [await treeOf(git, commit), await commitAt(git, base), await commitAt(git, target)];
  if (tree === null || start === null || end === null) return false;
  if (await holdsCommit(git, end, commit)) return true;
  if (tree === (await treeOf(git, start))) return true;
  if (await allPresent(git, end, commit, start)) return true;
  return withScratchObjects(git, async (scratch) =>
    allPresent(scratch, end, await commitTree(scratch, tree, [start], "all of the work"), start),
  );
}

/** True when the target has a commit with the same patch for every commit after `base`, merges aside. */
async function allPresent(git: Git, target: string, commit: string, base: string): Promise<boolean> {
  const { code, stdout, stderr } = await git.run(["cherry", target, commit, base]);
  if (code !== 0) throw new GitFailure(`git cherry failed: ${stderr.trim()}`);
  const lines = stdout.toString("utf8").split("\n").filter(Boolean);
  return lines.length > 0 && lines.every((line) => line.startsWith("- "));
}
