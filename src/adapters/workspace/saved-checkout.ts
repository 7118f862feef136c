import { lstatSync } from "node:fs";
import { type BytePath, bytesBelow, readable } from "./byte-paths.ts";
import type { Checkout } from "./checkout.ts";
import { commitTree } from "./engine-commit.ts";
import { folderBytes } from "./folder-bytes.ts";
import { NO_COMMIT } from "./kept-refs.ts";
import { recordRef } from "./shared-refs.ts";
import { withIndex } from "./work-tree.ts";

/** The refs of what was kept of the user's checkout, numbered. */
const FOLDER = "refs/lockstep/saved-checkout/";

/** Each is a look at the end of an attempt that found something new; beyond it somebody works in the checkout all day. */
const SAVES_MAX = 1_000;

/** More is data, and git would hold up the end of an attempt with it. */
const BYTES_MAX = 64 * 1024 ** 2;
const ADD_MS = 10_000;

const MESSAGE = "Changed in the checkout while attempts were at work\n";

/**
 * Keeps changed files of the user's checkout as they are now as a commit on its HEAD, and gives the name of its ref: the
 * files themselves, the index and the branches stay as they are. Null where there is nothing to keep, or too much.
 */
export async function saveChanged(
  { git, place }: Checkout,
  { records, tip, paths }: { records: string; tip: string; paths: readonly BytePath[] },
): Promise<string | null> {
  const isThere = (path: BytePath): boolean =>
    lstatSync(bytesBelow(place.top, path), { throwIfNoEntry: false }) !== undefined;
  const [there, gone] = [paths.filter(isThere), paths.filter((path) => !isThere(path))];
  if ((await bytesOf(place.top, there)) > BYTES_MAX) return null;
  const tree = await withIndex(place, async (env) => {
    await git.text(["read-tree", tip], { env });
    await git.run(["update-index", "--force-remove", "-z", "--stdin"], { env, input: listOf(gone) });
    // What cannot be added (no file, not to be read) is left out.
    const add = [
      "--literal-pathspecs",
      "add",
      "-A",
      "--ignore-errors",
      "--pathspec-from-file=-",
      "--pathspec-file-nul",
    ];
    if (there.length > 0) await git.run(add, { env, input: listOf(there), limitMs: ADD_MS });
    return git.text(["write-tree"], { env });
  });
  if (tree === (await git.text(["rev-parse", `${tip}^{tree}`]))) return null;
  const listed = await git.text(["for-each-ref", "--format=%(refname) %(tree)", FOLDER]);
  const kept = listed === "" ? [] : listed.split("\n").map((line) => line.split(" "));
  const same = kept.find((entry) => entry[1] === tree)?.[0];
  if (same !== undefined) return same;
  if (kept.length >= SAVES_MAX) return null;
  const numbers = kept.map(([name]) => Number(name!.slice(FOLDER.length)) || 0);
  const name = `${FOLDER}${Math.max(0, ...numbers) + 1}`;
  const commit = await commitTree(git, tree, [tip], MESSAGE);
  await git.text(["update-ref", name, commit, NO_COMMIT]);
  recordRef(records, name, commit);
  return name;
}

const listOf = (paths: readonly BytePath[]): Buffer => Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");

async function bytesOf(top: string, paths: readonly BytePath[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) {
    const stat = lstatSync(bytesBelow(top, path), { throwIfNoEntry: false });
    bytes += stat?.isDirectory() ? await folderBytes(`${top}/${readable(path)}`) : (stat?.size ?? 0);
    if (bytes > BYTES_MAX) break;
  }
  return bytes;
}
