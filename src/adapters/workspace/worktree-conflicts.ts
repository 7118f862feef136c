import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { type BytePath, bytesBelow, readable } from "./byte-paths.ts";
import { runSigned } from "./engine-commit.ts";
import { isClosed, isGone } from "./file-entry.ts";
import { GitFailure } from "./git.ts";
import type { KeptWorktree } from "./kept-worktree.ts";
import { mergeTrees } from "./merge-trees.ts";
import type { Ref } from "./read-refs.ts";
import { unmergedFiles } from "./worktree-index.ts";
import type { Conflict } from "./worktree-slots.ts";

/** Nobody resolves by hand what is larger, and git writes no markers there. */
const SEARCHED_BYTES_MAX = 16 * 1024 * 1024;

/** Files that a refusal names; the rest is counted. */
const NAMED_FILES_MAX = 5;

const MARKER = /^(<{7}|>{7})( |\r?$)/m;

/** Merges a branch into the worktree without a commit. Gives the files that were left with conflicts. */
export async function mergeInto(worktree: KeptWorktree, branch: string): Promise<Conflict[]> {
  const settings = ["merge.conflictStyle=merge", "rerere.enabled=false", "gc.auto=0", "maintenance.auto=false"];
  const args = [
    ...settings.flatMap((setting) => ["-c", setting]),
    "merge",
    "--no-commit",
    "--no-ff",
    "--quiet",
    branch,
  ];
  const merged = await runSigned(worktree.git, args);
  if (merged.code > 1) throw new GitFailure(`git merge failed: ${merged.stderr.trim()}`);
  // The merge is the engine's own, and so is its index.
  const files = await unmergedFiles({ ...worktree, clone: null });
  if (merged.code === 1 && files.length === 0) throw new GitFailure(`git merge failed: ${merged.stderr.trim()}`);
  return files.map((path) => ({ path, stamp: stampOf(worktree.place.top, path) }));
}

/** The files that were in conflict when the engine saved the work in the midst of a merge. */
export async function mergedConflicts({ git }: KeptWorktree, work: Ref | null): Promise<Conflict[]> {
  const [first, second] = work?.parents ?? [];
  if (first === undefined || second === undefined) return [];
  const merged = await mergeTrees(git, first, second);
  return "conflicts" in merged ? merged.conflicts.map((path) => ({ path, stamp: null })) : [];
}

/** The files in which a conflict was left: its markers, or a file without markers that nobody has touched or staged. */
export async function unresolvedFiles(worktree: KeptWorktree, conflicts: Conflict[]): Promise<BytePath[]> {
  const { top } = worktree.place;
  const unmerged = new Set(await unmergedFiles(worktree));
  const untouched = ({ path, stamp }: Conflict) => unmerged.has(path) && stampOf(top, path) === stamp;
  const left = new Set(conflicts.filter(untouched).map(({ path }) => path));
  for (const path of [...conflicts.map((conflict) => conflict.path), ...unmerged]) {
    if (hasMarkers(bytesBelow(top, path))) left.add(path);
  }
  return [...left].sort();
}

/** The refusal for conflicts that git found, or that an agent left behind. */
export function inConflict(code: "conflict" | "markers", why: string, paths: BytePath[]): WorkspaceRefusal {
  const files = paths.map(readable);
  const named = files.slice(0, NAMED_FILES_MAX).map((name) => JSON.stringify(name).slice(1, -1));
  const more = files.length > named.length ? ` and ${files.length - named.length} more` : "";
  return { code, text: `${why}: ${named.join(", ")}${more}`, files };
}

function stampOf(top: string, path: BytePath): string | null {
  const stat = lstatSync(bytesBelow(top, path), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

function hasMarkers(file: Buffer): boolean {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const size = Math.min(Number(lstatSync(file).size), SEARCHED_BYTES_MAX);
      const text = Buffer.alloc(size);
      const length = readSync(descriptor, text, 0, size, 0);
      return MARKER.test(text.toString("latin1", 0, length));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const isDirectory = (error as NodeJS.ErrnoException).code === "EISDIR";
    if (isDirectory || isGone(error) || isClosed(error)) return false;
    throw error;
  }
}
