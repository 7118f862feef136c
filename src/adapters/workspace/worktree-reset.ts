import { dropIndex, endOperations, type KeptWorktree } from "./kept-worktree.ts";
import { readIndex, type TrackedFiles } from "./worktree-index.ts";

/** `--force`: whatever lies in the worktree has been saved before. */
const CHECKOUT = ["checkout", "--quiet", "--force", "--no-recurse-submodules"];

/** Twice: also repositories that somebody made inside. Ignored files stay. */
const CLEAN = ["clean", "-d", "--force", "--force", "--quiet"];

/** Checks a commit out on a branch that is made or moved to it. Ignored files stay. */
export async function resetToBranch(worktree: KeptWorktree, branch: string, commit: string): Promise<TrackedFiles> {
  const to = ["--ignore-other-worktrees", "--no-track", "-B", branch, commit];
  await reset(worktree, to);
  const index = await readIndex(worktree.git);
  if (!index.hides) return index;
  // What git was told to overlook it did not reset either.
  dropIndex(worktree);
  await reset(worktree, to);
  return readIndex(worktree.git);
}

/** Checks a commit out without a branch. Ignored files stay. */
export async function resetDetached(worktree: KeptWorktree, commit: string): Promise<void> {
  await reset(worktree, ["--detach", commit]);
}

async function reset(worktree: KeptWorktree, to: string[]): Promise<void> {
  endOperations(worktree);
  if ((await worktree.git.run([...CHECKOUT, ...to])).code !== 0) {
    // A broken index hinders git; without one it checks out every file anew.
    dropIndex(worktree);
    await worktree.git.text([...CHECKOUT, ...to]);
  }
  await worktree.git.text(CLEAN);
}
