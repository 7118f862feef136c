import { readable } from "./byte-paths.ts";
import { type Git, GitFailure } from "./git.ts";

/** See `Workspace.undo`. The place holds nothing uncommitted. */
export async function undoCommit(git: Git, commit: string): Promise<{ conflicts: string[] }> {
  // Of a landing that is a merge the first parent is the target as it was.
  const undone = await git.run(["revert", "--no-commit", "--mainline", "1", commit]);
  const unmerged = await git.items(["diff", "--name-only", "--diff-filter=U", "-z"]);
  if (undone.code === 0 || unmerged.length > 0) {
    if (unmerged.length > 0) await git.text(["reset", "--merge", "--quiet"]);
    // What git notes of a revert under way would let the place look as if its agent had left in the middle of one.
    await git.text(["revert", "--quit"]);
    return { conflicts: unmerged.map(readable) };
  }
  throw new GitFailure(`git revert failed: ${undone.stderr.trim()}`);
}
