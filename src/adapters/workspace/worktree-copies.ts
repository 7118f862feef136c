import { constants, lstatSync } from "node:fs";
import { copyFile, mkdir, readlink, rm, symlink } from "node:fs/promises";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { type BytePath, bytesBelow } from "./byte-paths.ts";
import { isGone } from "./file-entry.ts";
import { gitIn } from "./git.ts";
import type { KeptWorktree } from "./kept-worktree.ts";
import type { TrackedFiles } from "./worktree-index.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

/** Files of configuration are few; a pattern that finds more has found a folder of dependencies. */
const COPIES_MAX = 1_000;

/**
 * Copies the user's untracked files that `copy` names into a worktree, at the same paths, and gives these paths. Files
 * that the worktree tracks are left alone.
 */
export async function copyFiles(
  { top, below, copy }: WorktreeSettings,
  { place }: KeptWorktree,
  { files }: TrackedFiles,
): Promise<BytePath[] | WorkspaceRefusal> {
  if (copy.length === 0) return [];
  const prefix = below === "" ? "" : `${below}/`;
  const patterns = copy.map((pattern) => `:(top,glob)${prefix}${pattern.replace(/^\.\//, "")}`);
  const found = await gitIn(top).items(["ls-files", "-z", "--others", "--", ...patterns]);
  const wanted = found.filter((path) => !files.has(path) && !path.endsWith("/"));
  if (wanted.length > COPIES_MAX) {
    const text = `workspace.copy names ${wanted.length} files, more than ${COPIES_MAX}: name fewer, and let setup install the rest`;
    return { code: "too_large", text };
  }
  const copied: BytePath[] = [];
  for (const path of wanted) if (await copyOne(top, place.top, path)) copied.push(path);
  return copied;
}

/** False when the file is gone by now, or is no file. */
async function copyOne(from: string, to: string, path: BytePath): Promise<boolean> {
  const [source, target] = [bytesBelow(from, path), bytesBelow(to, path)];
  const stat = lstatSync(source, { throwIfNoEntry: false });
  if (!stat?.isFile() && !stat?.isSymbolicLink()) return false;
  try {
    await mkdir(bytesBelow(to, path.slice(0, path.lastIndexOf("/") + 1)), { recursive: true });
    await rm(target, { force: true });
    if (stat.isSymbolicLink()) await symlink(await readlink(source, "buffer"), target);
    else await copyFile(source, target, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
