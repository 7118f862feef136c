import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BytePath, bytesBelow, readable } from "./byte-paths.ts";
import { isGone } from "./file-entry.ts";
import type { Git } from "./git.ts";
import { dropIndex, freeName, type KeptWorktree } from "./kept-worktree.ts";
import { LINK } from "./work-tree.ts";

/**
 * Moves the `.git` of each repository that an agent made inside its worktree beside it. Git would leave the files of
 * such a one out: without its `.git` they are files like others. `start` is the commit that the agent was given.
 */
export async function putRepositoriesAside(worktree: KeptWorktree, folder: string, start: string): Promise<void> {
  const { git, place, name } = worktree;
  const list = ["ls-files", "-z", "--others", "--exclude-standard"];
  if ((await git.run(list)).code !== 0) dropIndex(worktree);
  const untracked = (await git.items(list)).filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  const links = await newLinks(git, start);
  for (const path of [...untracked, ...links]) {
    const aside = freeName(join(folder, `${name}.repository-${readable(path).replaceAll("/", "_")}_`));
    mkdirSync(dirname(aside), { recursive: true });
    move(bytesBelow(place.top, `${path}/.git`), aside);
  }
  if (links.length === 0) return;
  // An index that knows a path as a repository never looks at the files below.
  const input = Buffer.from(links.map((path) => `${path}\0`).join(""), "latin1");
  await git.text(["update-index", "-z", "--force-remove", "--stdin"], { input });
}

/** Paths that the index has as repositories and the start has not: submodules, and what was added in spite of warnings. */
async function newLinks(git: Git, start: string): Promise<BytePath[]> {
  const staged = await git.items(["ls-files", "-z", "--stage"]);
  const links = staged.filter((item) => item.startsWith(LINK)).map(pathOf);
  if (links.length === 0) return [];
  const given = await git.items(["ls-tree", "-r", "-z", start]);
  const known = new Set(given.filter((item) => item.startsWith(LINK)).map(pathOf));
  return links.filter((path) => !known.has(path));
}

function pathOf(item: string): BytePath {
  return item.slice(item.indexOf("\t") + 1);
}

/** A submodule that was never checked out has no `.git`. */
function move(from: Buffer, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
