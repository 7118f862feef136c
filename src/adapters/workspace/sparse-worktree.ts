import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gitIn } from "./git.ts";
import type { RepositoryPlace } from "./repository-place.ts";

/**
 * A worktree takes over which files its user's checkout leaves out, where that one is sparse: attempts and checks need them
 * all. Call it before anything is checked out there.
 */
export async function haveEveryFile(dir: string, { git_dir }: RepositoryPlace): Promise<void> {
  if (!existsSync(join(git_dir, "config.worktree"))) return;
  const git = gitIn(dir);
  for (const name of ["core.sparseCheckout", "core.sparseCheckoutCone", "index.sparse"])
    await git.text(["config", "--worktree", name, "false"]);
  rmSync(join(git_dir, "info/sparse-checkout"), { force: true });
}
