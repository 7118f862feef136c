import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ChangedFile, WorkspaceRefusal } from "../../ports/workspace.ts";
import { readable } from "./byte-paths.ts";
import { type Git, GitFailure } from "./git.ts";
import { copyIndex } from "./index-copy.ts";
import { sweepHalf } from "./json-file.ts";
import type { RepositoryPlace } from "./repository-place.ts";

/** What stands at a path in one of two trees that are compared. */
export interface TreeChange {
  /** A byte string, see `Git.items`. */
  path: string;
  old_mode: string;
  new_mode: string;
  old_hash: string;
  new_hash: string;
}

export interface WorkTree {
  tree: string;
  /** Against the commit that it was compared with. */
  changes: TreeChange[];
}

/** A submodule, or a repository that somebody made inside: git keeps only the commit that is checked out there. */
export const LINK = "160000";
const NOTHING = "000000";

/** Of a process that was killed over it; see `withIndex`. */
const OLD_INDEX = /^index-(\d+)-\d+(?:\.lock)?$/;

let temporaries = 0;

/**
 * The tree of all files of the work tree that are not ignored, and its changes against `base`. Neither the index nor a
 * ref is touched. Submodules stay as they are in `base`. `onTree` hears of the tree before it has been compared.
 */
export async function writeWorkTree(
  git: Git,
  place: RepositoryPlace,
  base: string,
  onTree: (tree: string) => void = () => {},
): Promise<WorkTree | WorkspaceRefusal> {
  return withIndex(place, async (env) => {
    if (!copyIndex(place.git_dir, env.GIT_INDEX_FILE) || (await git.run(["add", "-A"], { env })).code !== 0) {
      // An index that cannot be used (an agent may leave it in any state) only costs its cache.
      rmSync(env.GIT_INDEX_FILE, { force: true });
      await git.text(["read-tree", "--reset", base], { env });
      const added = await git.run(["add", "-A"], { env });
      if (added.code !== 0) return notAddable(added.stderr);
    }
    const written = await writeIndex(git, base, env, onTree);
    return newLink(written.changes) ?? written;
  });
}

/** The refusal of the first repository that the changes bring in, of which git would keep a commit's name and no file. */
export function newLink(changes: TreeChange[]): WorkspaceRefusal | null {
  const link = changes.find((change) => change.new_mode === LINK && change.old_mode !== LINK);
  if (link === undefined) return null;
  const isSubmodule = changes.some(({ path, new_mode }) => path === ".gitmodules" && new_mode !== NOTHING);
  return nestedRepository(readable(link.path), isSubmodule);
}

/** As `writeWorkTree`, but what cannot be added is left out instead of refused: to save whatever can be saved. */
export async function writeWhatCanBe(git: Git, place: RepositoryPlace, base: string): Promise<WorkTree> {
  return withIndex(place, async (env) => {
    if (!copyIndex(place.git_dir, env.GIT_INDEX_FILE) || (await git.run(["add", "-A"], { env })).code !== 0) {
      rmSync(env.GIT_INDEX_FILE, { force: true });
      await git.text(["read-tree", "--reset", base], { env });
      await git.run(["add", "-A", "--ignore-errors"], { env });
    }
    return writeIndex(git, base, env);
  });
}

/** The files that differ between two trees or commits. */
export async function diffTrees(
  git: Git,
  from: string,
  to: string,
  options?: { env: Record<string, string> },
): Promise<TreeChange[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", from, to];
  const items = await git.items(args, options);
  const changes: TreeChange[] = [];
  for (let index = 0; index + 1 < items.length; index += 2) {
    const [old_mode = "", new_mode = "", old_hash = "", new_hash = ""] = items[index]!.slice(1).split(" ");
    changes.push({ path: items[index + 1]!, old_mode, new_mode, old_hash, new_hash });
  }
  return changes;
}

/** For people and for the scope's sweep. */
export function changedFile(change: TreeChange): ChangedFile {
  return { path: readable(change.path), status: statusOf(change) };
}

function statusOf({ old_mode, new_mode }: TreeChange): ChangedFile["status"] {
  if (old_mode === NOTHING) return "added";
  if (new_mode === NOTHING) return "deleted";
  // The kind of entry (file, link, submodule) is the mode without its permissions.
  return old_mode.slice(0, 3) === new_mode.slice(0, 3) ? "modified" : "type_changed";
}

/** Gives the name of an index that does not exist yet and is removed afterwards. */
export async function withIndex<T>(
  place: RepositoryPlace,
  use: (env: { GIT_INDEX_FILE: string }) => Promise<T>,
): Promise<T> {
  const folder = join(place.git_dir, "lockstep");
  mkdirSync(folder, { recursive: true });
  sweepHalf(folder, OLD_INDEX);
  temporaries += 1;
  const index = join(folder, `index-${process.pid}-${temporaries}`);
  try {
    return await use({ GIT_INDEX_FILE: index });
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

async function writeIndex(
  git: Git,
  base: string,
  env: { GIT_INDEX_FILE: string },
  onTree: (tree: string) => void = () => {},
): Promise<WorkTree> {
  const tree = await git.text(["write-tree"], { env });
  onTree(tree);
  // Git reads the index even here, and the real one may be broken.
  const changes = await diffTrees(git, base, tree, { env });
  const moved = changes.filter((change) => change.old_mode === LINK && change.new_mode === LINK);
  if (moved.length === 0) return { tree, changes };
  const lines = moved.map((change) => `${LINK} ${change.old_hash}\t${change.path}\0`).join("");
  await git.text(["update-index", "-z", "--index-info"], { env, input: Buffer.from(lines, "latin1") });
  return {
    tree: await git.text(["write-tree"], { env }),
    changes: changes.filter((change) => !moved.includes(change)),
  };
}

function notAddable(stderr: string): WorkspaceRefusal {
  const nested = /'(.+)\/' does not have a commit checked out/.exec(stderr)?.[1];
  if (nested !== undefined) return nestedRepository(nested);
  throw new GitFailure(`git cannot take in the files of the work tree: ${stderr.trim()}`);
}

function nestedRepository(path: string, isSubmodule = false): WorkspaceRefusal {
  const what = isSubmodule
    ? "was added as a submodule, whose files git would leave out: add it to the branch yourself, or let the task commit the files themselves"
    : "is a repository of its own, whose files git would leave out: remove its .git, or ignore it";
  return { code: "nested_repository", text: `${JSON.stringify(path)} ${what}` };
}
