/** A landed commit checked out anew, where its checks can be run once more without anything that earlier ones left. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locks } from "../../ports/locks.ts";
import type { FreshCheckout, Preparing, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { inCheckout } from "./checkout.ts";
import { gitIn } from "./git.ts";
import { forget } from "./kept-worktree.ts";
import { landingName } from "./landing-worktree.ts";
import { repositoryAt } from "./repository-place.ts";
import { haveEveryFile } from "./sparse-worktree.ts";
import { checkOutCandidate } from "./worktree-land.ts";
import { takeOff } from "./worktree-reclaim.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

/** In the pool, set up as the place of a landing; what a killed process leaves of it, `gc` frees as such a place. */
export async function freshWorktree(
  settings: WorktreeSettings,
  task: WorkspaceTask,
  commit: string,
  preparing: Preparing,
): Promise<FreshCheckout | WorkspaceRefusal> {
  const { top, locks } = settings;
  const target = `prove ${process.pid}`;
  const close = async (): Promise<WorkspaceRefusal | null> => {
    const off = await inCheckout(top, locks, async (checkout) => ({
      aside: takeOff(checkout, settings, landingName(target)),
    }));
    if ("code" in off) return off;
    // Not under the lock: a large one takes its time.
    if (off.aside !== null) rmSync(off.aside, { recursive: true, force: true, maxRetries: 3 });
    return null;
  };
  // What an earlier process of the same pid left would not be fresh.
  const refusal = await close();
  if (refusal !== null) return refusal;
  const dir = await checkOutCandidate(settings, task, { target, commit }, preparing);
  if (typeof dir === "string") return { dir, close };
  await close();
  return dir;
}

/** Where landings have no place of their own: among the temporary files, and nothing sets it up. */
export function freshPlace(
  top: string,
  below: string,
  locks: Locks,
  commit: string,
): Promise<FreshCheckout | WorkspaceRefusal> {
  return inCheckout<FreshCheckout | WorkspaceRefusal>(top, locks, async ({ git, place }) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-prove-")));
    const dir = join(folder, "checkout");
    await git.text(["worktree", "add", "--quiet", "--no-checkout", "--detach", dir, commit]);
    const made = repositoryAt(dir);
    if (made !== null) await haveEveryFile(dir, made);
    await gitIn(dir).text(["checkout", "--quiet", "--force", "--no-recurse-submodules", "--detach", commit]);
    const close = (): Promise<WorkspaceRefusal | null> =>
      inCheckout<WorkspaceRefusal | null>(top, locks, async () => {
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
        forget(place.common_dir, dir);
        return null;
      });
    return { dir: join(dir, below), close };
  });
}
