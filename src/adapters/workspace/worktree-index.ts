import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "./git.ts";
import type { KeptWorktree } from "./kept-worktree.ts";

/** What git tracks in a worktree; paths are byte strings. */
export interface TrackedFiles {
  /** Path to hash. */
  files: Map<string, string>;
  /** Whether somebody told git to overlook changes of some file. */
  hides: boolean;
}

/** Reads the index of a worktree. */
export async function readIndex(git: Git): Promise<TrackedFiles> {
  const items = await git.items(["ls-files", "-z", "--stage", "-v"]);
  const files = new Map<string, string>();
  let hides = false;
  for (const item of items) {
    const tab = item.indexOf("\t");
    const [flag = "", , hash = ""] = item.slice(0, tab).split(" ");
    // A small letter: assumed unchanged. S: not to be checked out. M stands for a conflict.
    hides ||= flag !== "H" && flag !== "M";
    files.set(item.slice(tab + 1), hash);
  }
  return { files, hides };
}

/** The files that are unmerged in the index that the agent had, or, where that cannot be read, in the engine's. */
export async function unmergedFiles({ git, clone }: KeptWorktree): Promise<string[]> {
  const list = ["ls-files", "-z", "--unmerged"];
  const index = clone === null ? null : join(clone, "index");
  const isThere = index !== null && lstatSync(index, { throwIfNoEntry: false })?.isFile() === true;
  const theirs = isThere ? await git.run(list, { env: { GIT_INDEX_FILE: index } }) : null;
  const items = theirs?.code === 0 ? theirs.stdout.toString("latin1").split("\0").slice(0, -1) : await git.items(list);
  return [...new Set(items.map((item) => item.slice(item.indexOf("\t") + 1)))];
}
