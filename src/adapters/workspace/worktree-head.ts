import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "./git.ts";
import { commitAt } from "./head.ts";
import type { KeptWorktree } from "./kept-worktree.ts";
import { lastBytes } from "./last-bytes.ts";
import { holdsCommit } from "./move-ref.ts";
import { workRef } from "./worktree-settings.ts";
import type { SlotMarker } from "./worktree-slots.ts";

/** Where an agent left HEAD, and where the work branch. */
export interface LeftHead {
  /** HEAD is at the task's work branch. */
  isOnBranch: boolean;
  /** Null when HEAD names a branch without a commit. */
  commit: string | null;
  /** The work branch's commit; null when it was deleted. */
  branch: string | null;
  /** The commit that is being merged into HEAD; null when there is none, or HEAD has it already. */
  merging: string | null;
  /** Git was in the middle of something that may have left conflicts. */
  isAmid: boolean;
  /** Notes, before the work branch is moved, that this commit stands for all that was left. */
  settledAs(commit: string): void;
}

/** What git keeps in its folder for as long as it is in the middle of something. */
export const OPERATIONS = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

/** Reads where the agent left HEAD; `branch` is where the work branch stands now. */
export async function readLeftHead(
  { git, place }: KeptWorktree,
  marker: SlotMarker,
  branch: string | null,
): Promise<LeftHead> {
  const head = readFileSync(join(place.git_dir, "HEAD"), "utf8").trimEnd();
  const isOnBranch = head === `ref: ${workRef(marker)}`;
  const commit = isOnBranch ? await commitOnBranch(git, place.git_dir, marker, branch) : await commitAt(git, "HEAD");
  const merging = mergeHead(place.git_dir);
  const isMerged = merging !== null && commit !== null && (await holdsCommit(git, commit, merging));
  const isAmid = OPERATIONS.some((name) => existsSync(join(place.git_dir, name)));
  return { isOnBranch, commit, branch, merging: isMerged ? null : merging, isAmid, settledAs: () => {} };
}

/**
 * Where the agent left HEAD on its work branch: not where somebody else has moved that branch to. A branch that was
 * deleted stands where the attempt found it, or where its agent left it.
 */
async function commitOnBranch(git: Git, gitDir: string, { start }: SlotMarker, branch: string | null): Promise<string> {
  const last = lastHead(gitDir);
  if (last === null || last === branch) return branch ?? start;
  return (await commitAt(git, last)) ?? branch ?? start;
}

/** Bytes that hold the last line of a log, whatever its message. */
const LOG_TAIL_BYTES = 65_536;

/** What git noted of the worktree's HEAD last; null where it notes nothing. */
function lastHead(gitDir: string): string | null {
  const line =
    lastBytes(join(gitDir, "logs", "HEAD"), LOG_TAIL_BYTES)
      .trimEnd()
      .split("\n")
      .at(-1) ?? "";
  return /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? null;
}

function mergeHead(gitDir: string): string | null {
  const file = join(gitDir, "MERGE_HEAD");
  return existsSync(file) ? (/^[0-9a-f]{40,64}/.exec(readFileSync(file, "utf8"))?.[0] ?? null) : null;
}
