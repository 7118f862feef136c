import { constants, lstatSync } from "node:fs";
import { copyFile, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { invariant } from "../../core/assert.ts";
import type { Saved, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { bytesBelow, readable } from "./byte-paths.ts";
import type { ManifestChange } from "./kept-manifests.ts";

/** More than this is no work of an agent but data, and the state directory is no place for it. */
const SAVED_BYTES_MAX = 1024 ** 3;

/** Saves of one attempt; each is a stop, a crash or a red check of it. */
const SAVES_MAX = 1_000;

const PART = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

interface CopyRequest {
  /** The directory that is saved from. */
  root: string;
  /** The folder of this project alone that it is saved into. */
  stateDir: string;
  task: WorkspaceTask;
  tree: string;
  changes: ManifestChange[];
  bytesMax?: number;
}

/**
 * Copies the changed files to `saved/<plan>/<slug>/<n>/files` below the state directory, beside a `saved.json` that
 * lists what was deleted. A tree that this attempt saved before is not copied again.
 */
export async function saveCopy(request: CopyRequest): Promise<Saved | WorkspaceRefusal> {
  const { root, stateDir, task, tree, changes, bytesMax = SAVED_BYTES_MAX } = request;
  invariant(PART.test(task.plan) && PART.test(task.slug), `no names for a folder: ${task.plan}, ${task.slug}`);
  const copied = changes.filter((change) => change.status !== "deleted");
  const size = sizeOf(root, copied);
  if (size > bytesMax) return tooLarge(size, bytesMax);
  const place = await freePlace(stateDir, task, tree);
  if (place.taken) return { saved: place.name };
  const target = join(stateDir, place.name);
  const half = `${target}.part-${process.pid}`;
  await rm(half, { recursive: true, force: true });
  await mkdir(join(half, "files"), { recursive: true, mode: 0o700 });
  const skipped: string[] = [];
  for (const { path } of copied) if (!(await copyOne(root, join(half, "files"), path))) skipped.push(readable(path));
  const deleted = changes.filter((change) => change.status === "deleted").map((change) => readable(change.path));
  await writeFile(join(half, "saved.json"), `${JSON.stringify({ tree, deleted, skipped }, null, 2)}\n`);
  await rename(half, target);
  return { saved: place.name };
}

function sizeOf(root: string, changes: ManifestChange[]): number {
  return changes.reduce(
    (sum, { path }) => sum + (lstatSync(bytesBelow(root, path), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

function tooLarge(size: number, bytesMax: number): WorkspaceRefusal {
  const [has, may] = [size, bytesMax].map((bytes) => `${Math.ceil(bytes / 1024 ** 2)} MiB`);
  return {
    code: "too_large",
    text: `${has} of changed files cannot be saved, ${may} can: name data in .gitignore, or make it a git repository`,
  };
}

/** The first name that is free, or the one that holds this very tree already. */
async function freePlace(
  stateDir: string,
  task: WorkspaceTask,
  tree: string,
): Promise<{ name: string; taken: boolean }> {
  for (let copy = 1; copy <= SAVES_MAX; copy += 1) {
    const name = `saved/${task.plan}/${task.slug}/${task.n}${copy === 1 ? "" : `-${copy}`}`;
    const kept = await treeAt(join(stateDir, name, "saved.json"));
    if (kept === null || kept === tree) return { name, taken: kept === tree };
  }
  throw new Error(`attempt ${task.n} of ${task.plan}/${task.slug} was saved ${SAVES_MAX} times: remove some of them`);
}

async function treeAt(file: string): Promise<string | null> {
  try {
    return (JSON.parse(await readFile(file, "utf8")) as { tree: string }).tree;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** False for what has no content to copy, or none that may be read. */
async function copyOne(root: string, files: string, path: string): Promise<boolean> {
  const from = bytesBelow(root, path);
  const to = bytesBelow(files, path);
  const stat = lstatSync(from, { throwIfNoEntry: false });
  if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) return false;
  await mkdir(Buffer.from(dirname(to.toString("latin1")), "latin1"), { recursive: true });
  try {
    if (stat.isSymbolicLink()) await symlink(await readlink(from, { encoding: "buffer" }), to);
    else await copyFile(from, to, constants.COPYFILE_FICLONE);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "EACCES" || code === "EPERM") return false;
    throw error;
  }
}
