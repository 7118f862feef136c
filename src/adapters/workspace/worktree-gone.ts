import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { bytesBelow } from "./byte-paths.ts";
import type { Git } from "./git.ts";
import { noteOf } from "./kept-worktree.ts";
import { labelOf } from "./worktree-settings.ts";
import type { SlotMarker, TakenSlot } from "./worktree-slots.ts";

/**
 * Whether an attempt's worktree was deleted, also when something stands there again. Ask before it is linked anew: an
 * agent that deletes its files means that, and one that deletes `.git` with them has deleted its place.
 */
export async function isWorktreeGone(git: Git, folder: string, { slot, marker }: TakenSlot): Promise<boolean> {
  const dir = join(folder, slot);
  if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return true;
  const dotGit = join(dir, ".git");
  const stat = lstatSync(dotGit, { throwIfNoEntry: false });
  const isLinked = stat?.isFile() && /^gitdir: /.test(readFileSync(dotGit, "utf8"));
  if (isLinked || (stat?.isDirectory() && noteOf(folder, slot)?.has_clone)) return false;
  const given = await git.items(["ls-tree", "-r", "-z", "--name-only", marker.start]);
  return given.length > 0 && !given.some((path) => lstatSync(bytesBelow(dir, path), { throwIfNoEntry: false }));
}

export function worktreeGone(marker: SlotMarker): WorkspaceRefusal {
  const text = `the worktree of ${labelOf(marker)} is gone, and with it all that was not committed: an agent has to leave its worktree in place`;
  return { code: "missing", text };
}
