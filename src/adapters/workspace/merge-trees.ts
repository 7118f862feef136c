import type { BytePath } from "./byte-paths.ts";
import { type Git, GitFailure } from "./git.ts";

/** Merges two commits without touching a file or a ref: the merged tree, or the files that both changed. */
export async function mergeTrees(
  git: Git,
  ours: string,
  theirs: string,
  options?: { limitMs: number },
): Promise<{ tree: string } | { conflicts: BytePath[] }> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const { code, stdout, stderr } = await git.run(args, options);
  if (code > 1) throw new GitFailure(`git merge-tree failed: ${stderr.trim()}`);
  const [tree = "", ...names] = stdout.toString("latin1").split("\0").slice(0, -1);
  return code === 0 ? { tree } : { conflicts: [...new Set(names)] };
}
