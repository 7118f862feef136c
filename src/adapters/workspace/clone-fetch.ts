/** The way of commits from a clone into the repository. */

import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "./git.ts";
import type { KeptWorktree } from "./kept-worktree.ts";

const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

/** What is received is looked through, and there at once or not at all; nothing of the user's is set in motion by it. */
const SETTINGS = [
  "fetch.fsckObjects=true",
  "fetch.unpackLimit=1",
  "fetch.prune=false",
  "fetch.pruneTags=false",
  "fetch.writeCommitGraph=false",
  "protocol.file.allow=always",
  "gc.auto=0",
  "maintenance.auto=false",
].flatMap((setting) => ["-c", setting]);

const FETCH = ["fetch", "--quiet", "--atomic", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];

/**
 * Fetches objects with all that they need, `wanted` from hash to the ref that is to have it; null: none. Rejects with
 * `GitFailure` where one is not there, or is not sound; then no ref is changed. Of the clone only the folder of objects is
 * read: settings, hooks and refs of its own stay out of it.
 */
export async function fetchFromClone(
  git: Git,
  { clone, place }: KeptWorktree,
  wanted: readonly (readonly [hash: string, ref: string | null])[],
): Promise<void> {
  if (wanted.length === 0) return;
  // Among the clones, where `gc` finds what a killed process leaves.
  const front = `${place.top}.front-${process.pid}`;
  rmSync(front, { recursive: true, force: true });
  try {
    mkdirSync(join(front, "refs"), { recursive: true });
    writeFileSync(join(front, "HEAD"), "ref: refs/heads/none\n");
    writeFileSync(join(front, "config"), CONFIG);
    writeFileSync(join(front, "packed-refs"), wanted.map(([hash], at) => `${hash} refs/heads/${at}\n`).join(""));
    symlinkSync(join(clone!, "objects"), join(front, "objects"));
    const shallow = join(place.common_dir, "shallow");
    if (existsSync(shallow)) copyFileSync(shallow, join(front, "shallow"));
    const specs = wanted.map(([, ref], at) => (ref === null ? `refs/heads/${at}` : `+refs/heads/${at}:${ref}`));
    await git.text([...SETTINGS, ...FETCH, "--end-of-options", front, ...specs]);
  } finally {
    rmSync(front, { recursive: true, force: true });
  }
}
