/** How an agent left the git of its clone, read from files alone: no git of the engine's goes by what stands there. */

import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { isClosed, isGone } from "./file-entry.ts";
import { OPERATIONS } from "./worktree-head.ts";

export interface CloneState {
  /** `ref: NAME`, or a commit; "" where nothing of the kind can be read. */
  head: string;
  /** Branches, tags and the stash: full name and hash. */
  refs: [name: string, hash: string][];
  /** What is being merged into HEAD. */
  merging: string | null;
  /** Git was in the middle of something that may have left conflicts. */
  is_amid: boolean;
  /** There are more refs than are read, or some that cannot be. */
  is_cut: boolean;
}

/** A list of half a million refs; whoever makes more does not mean them. */
const PACKED_BYTES_MAX = 64 * 1024 * 1024;
/** A hash, or the name of a branch. */
const LINE_BYTES_MAX = 4_096;
/** Files and folders below `refs`: one for each ref that moved since the clone was made. */
const ENTRIES_MAX = 20_000;

const HASH = /^[0-9a-f]{40}$/;
const KEPT = /^refs\/(heads|tags)\/|^refs\/stash$/;

/** Null where there is no repository any more; `dir` is its `.git`. */
export function readCloneState(dir: string): CloneState | null {
  if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return null;
  const refs = new Map<string, string>();
  const packed = readPlain(join(dir, "packed-refs"), PACKED_BYTES_MAX);
  for (const line of (packed ?? "").split("\n")) addRef(refs, line.slice(41), line.slice(0, 40));
  const isWhole = ["refs/heads", "refs/tags"].every((folder) => addLoose(refs, dir, folder));
  addRef(refs, "refs/stash", readPlain(join(dir, "refs/stash"), LINE_BYTES_MAX) ?? "");
  return {
    head: headOf(readPlain(join(dir, "HEAD"), LINE_BYTES_MAX) ?? ""),
    refs: [...refs].sort(([a], [b]) => (a < b ? -1 : 1)),
    merging: /^[0-9a-f]{40}/.exec(readPlain(join(dir, "MERGE_HEAD"), LINE_BYTES_MAX) ?? "")?.[0] ?? null,
    is_amid: OPERATIONS.some((name) => existsSync(join(dir, name))),
    is_cut: packed === null || !isWhole,
  };
}

function headOf(text: string): string {
  const line = text.trimEnd();
  return HASH.test(line) || /^ref: refs\/heads\/\S+$/.test(line) ? line : "";
}

/** The commit that HEAD is at; null where it names a branch without one. */
export function headCommit({ head, refs }: CloneState): string | null {
  if (HASH.test(head)) return head;
  return refs.find(([name]) => head === `ref: ${name}`)?.[1] ?? null;
}

function addRef(refs: Map<string, string>, name: string, hash: string): void {
  if (KEPT.test(name) && HASH.test(hash.trimEnd())) refs.set(name, hash.trimEnd());
}

/** False where not all of them were read. */
function addLoose(refs: Map<string, string>, dir: string, top: string): boolean {
  const folders = [top];
  let entries = 0;
  for (let at = 0; at < folders.length; at += 1) {
    const folder = folders[at]!;
    for (const entry of entriesIn(join(dir, folder))) {
      entries += 1;
      if (entries > ENTRIES_MAX) return false;
      const name = `${folder}/${entry.name}`;
      // A link leads to what is not the clone's.
      if (entry.isDirectory()) folders.push(name);
      else if (entry.isFile() && !name.endsWith(".lock"))
        addRef(refs, name, readPlain(join(dir, name), LINE_BYTES_MAX) ?? "");
    }
  }
  return true;
}

function entriesIn(folder: string): { name: string; isDirectory(): boolean; isFile(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error) || isClosed(error)) return [];
    throw error;
  }
}

/** O_NONBLOCK: a pipe in the file's place has nobody wait. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The text of a file; "" where there is none, null where it is none, is not for us, or is larger. */
function readPlain(file: string, bytesMax: number): string | null {
  try {
    const descriptor = openSync(file, READ);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile() || stat.size > bytesMax) return null;
      const bytes = Buffer.alloc(stat.size);
      return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isGone(error)) return "";
    if (isClosed(error) || (error as NodeJS.ErrnoException).code === "ENXIO") return null;
    throw error;
  }
}
