import { posix } from "node:path";
import type { Candidate, CandidateSides, FileSides, SidesRequest } from "../../ports/workspace.ts";
import { readable } from "./byte-paths.ts";
import { type Git, GitFailure } from "./git.ts";
import { SIDE_BYTES_MAX, SIDES_BYTES_MAX, textOf } from "./side-text.ts";
import { LINK } from "./work-tree.ts";

/** Deleted files that are held against added ones to find renamed ones: the work grows with both. */
const RENAMES_MAX = 400;

/** What stands at a path before and after, as git's raw diff tells it. */
interface Entry {
  path: string;
  old_path: string | null;
  status: string;
  old_mode: string;
  new_mode: string;
  old_hash: string;
  new_hash: string;
}

/** The changed files of a candidate with their texts, see `Workspace.sides`: three calls of git, whatever their number. */
export async function candidateSides(
  git: Git,
  { tip, tree }: Candidate,
  { paths, at_tip, below }: SidesRequest & { below: string },
): Promise<CandidateSides | null> {
  if (tip === null || tree === null) return null;
  const wanted = new Map(paths.map((path, index) => [path, index]));
  const rank = ({ path, old_path }: Entry): number =>
    Math.min(wanted.get(path) ?? Infinity, wanted.get(old_path ?? path) ?? Infinity);
  const entries = (await changedEntries(git, tip, tree))
    .filter((entry) => rank(entry) < Infinity)
    .sort((a, b) => rank(a) - rank(b));
  const asked = at_tip.filter((path) => !path.includes("\n"));
  const names = asked.map((path) => `${tip}:${posix.join(below, path)}`);
  const hashes = entries.flatMap(hashesOf);
  const sizes = await sizesOf(git, [...hashes, ...names]);
  const readables = withinBounds([...names, ...hashes], sizes);
  const texts = await textsOf(git, readables);
  const sideOf = (hash: string | null): string | null => (hash === null ? null : (texts.get(hash) ?? null));
  return {
    files: entries.map((entry): FileSides => {
      const [before, after] = [blobOf(entry.old_mode, entry.old_hash), blobOf(entry.new_mode, entry.new_hash)];
      return {
        ...{ path: entry.path, old_path: entry.old_path, kind: kindOf(entry) },
        ...{ before: sideOf(before), after: sideOf(after) },
        ...{ mode_before: modeOf(entry.old_mode), mode_after: modeOf(entry.new_mode) },
        too_large: [before, after].some((hash) => hash !== null && !texts.has(hash)),
      };
    }),
    tip: new Map(
      asked.flatMap((path, index) => {
        const text = sideOf(names[index]!);
        return text === null ? [] : [[path, text]];
      }),
    ),
  };
}

async function changedEntries(git: Git, tip: string, tree: string): Promise<Entry[]> {
  const renames = ["--find-renames", `-l${RENAMES_MAX}`];
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--ignore-submodules=none", ...renames, tip, tree];
  const items = await git.items(args);
  const entries: Entry[] = [];
  for (let index = 0; index + 1 < items.length; ) {
    const [old_mode = "", new_mode = "", old_hash = "", new_hash = "", status = ""] = items[index]!.slice(1).split(" ");
    const isRenamed = status.startsWith("R");
    const [first, second] = [readable(items[index + 1]!), isRenamed ? readable(items[index + 2] ?? "") : null];
    const names = { path: second ?? first, old_path: second === null ? null : first };
    entries.push({ ...names, status, old_mode, new_mode, old_hash, new_hash });
    index += isRenamed ? 3 : 2;
  }
  return entries;
}

function kindOf({ status, old_hash, new_hash }: Entry): FileSides["kind"] {
  if (status === "A") return "added";
  if (status === "D") return "deleted";
  if (status.startsWith("R")) return "renamed";
  return old_hash === new_hash ? "mode" : "modified";
}

function modeOf(mode: string): string | null {
  return /^0+$/.test(mode) ? null : mode;
}

/** A submodule's commit is in another repository. */
function blobOf(mode: string, hash: string): string | null {
  return modeOf(mode) === null || mode === LINK ? null : hash;
}

function hashesOf({ old_mode, new_mode, old_hash, new_hash }: Entry): string[] {
  return [blobOf(old_mode, old_hash), blobOf(new_mode, new_hash)].filter((hash) => hash !== null);
}

/** Bytes by name; what is not there, or is no file, has none. */
async function sizesOf(git: Git, names: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  if (names.length === 0) return sizes;
  const lines = (await batch(git, "--batch-check=%(objecttype) %(objectsize)", names)).toString("utf8").split("\n");
  names.forEach((name, index) => {
    const size = /^blob (\d+)$/.exec(lines[index] ?? "")?.[1];
    if (size !== undefined) sizes.set(name, Number(size));
  });
  return sizes;
}

/** Those that are read, each once: the first ones as long as there is room. */
function withinBounds(names: readonly string[], sizes: ReadonlyMap<string, number>): string[] {
  let left = SIDES_BYTES_MAX;
  return [...new Set(names)].filter((name) => {
    const size = sizes.get(name) ?? Infinity;
    if (size > Math.min(SIDE_BYTES_MAX, left)) return false;
    left -= size;
    return true;
  });
}

async function textsOf(git: Git, names: readonly string[]): Promise<Map<string, string | null>> {
  const texts = new Map<string, string | null>();
  if (names.length === 0) return texts;
  const all = await batch(git, "--batch=%(objectsize)", names);
  let at = 0;
  for (const name of names) {
    const from = all.indexOf(10, at) + 1;
    const size = Number(all.toString("latin1", at, from));
    texts.set(name, textOf(all.subarray(from, from + size)));
    at = from + size + 1;
  }
  return texts;
}

async function batch(git: Git, format: string, names: readonly string[]): Promise<Buffer> {
  const { code, stdout, stderr } = await git.run(["cat-file", format], { input: `${names.join("\n")}\n` });
  if (code !== 0) throw new GitFailure(`git cat-file failed: ${stderr.trim()}`);
  return stdout;
}
