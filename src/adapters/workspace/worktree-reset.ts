import { dropIndex, endOperations, type KeptWorktree } from "./kept-worktree.ts";
import { readIndex, type TrackedFiles } from "./worktree-index.ts";

/** `--force`: whatever lies in the worktree has been saved before. */
const CHECKOUT = ["checkout", "--quiet", "--force", "--no-recurse-submodules"];

/**
 * Twice: also repositories that somebody made inside. Ignored files stay, but not because of rules that git does not
 * track: one attempt's `.gitignore` would hide the work of every later one in this place.
 */
const CLEAN = ["-c", "core.quotePath=false", "clean", "-d", "--force", "--force", "--exclude=!.gitignore"];

const CLEAN_ALL = ["clean", "-d", "-x", "--quiet", "--force", "--force"];

/** Rules may lie in folders that other rules hide; nobody nests them deeper by mistake. */
const CLEAN_ROUNDS = 20;

/** Checks a commit out on a branch that is made or moved to it. Ignored files stay. */
export async function resetToBranch(worktree: KeptWorktree, branch: string, commit: string): Promise<TrackedFiles> {
  const to = ["--ignore-other-worktrees", "--no-track", "-B", branch, commit];
  const index = await reset(worktree, to);
  if (!index.hides) return index;
  // What git was told to overlook it did not reset either.
  dropIndex(worktree);
  return reset(worktree, to);
}

/** Checks a commit out without a branch. Ignored files stay, unless nothing at all may. */
export async function resetDetached(
  worktree: KeptWorktree,
  commit: string,
  ignored: "stay" | "go" = "stay",
): Promise<TrackedFiles> {
  const index = await reset(worktree, ["--detach", commit]);
  if (ignored === "go") await worktree.git.text(CLEAN_ALL);
  return index;
}

async function reset(worktree: KeptWorktree, to: string[]): Promise<TrackedFiles> {
  endOperations(worktree);
  if ((await worktree.git.run([...CHECKOUT, ...to])).code !== 0) {
    // A broken index hinders git; without one it checks out every file anew.
    dropIndex(worktree);
    await worktree.git.text([...CHECKOUT, ...to]);
  }
  // Cleaning looks at what is untracked, and the index at what is tracked: neither waits for the other.
  const [index] = await Promise.all([readIndex(worktree.git), clean(worktree)]);
  return index;
}

/** Again as long as rules were removed: what they hid is untracked now. */
async function clean({ git }: KeptWorktree): Promise<void> {
  for (let round = 0; round < CLEAN_ROUNDS; round++) {
    const removed = await git.text(CLEAN);
    if (!/\.gitignore"?$/m.test(removed)) return;
  }
}
