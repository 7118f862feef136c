import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { OpenedWorkspace, Saved, Workspace, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { addedSides } from "./added-sides.ts";
import { readable } from "./byte-paths.ts";
import { type DirectoryReader, type DirectoryTree, directoryReader, FILES_MAX } from "./directory-tree.ts";
import { copiesInUse } from "./disk-use.ts";
import { diffManifests, keepManifest, loadManifest } from "./kept-manifests.ts";
import { NO_BRANCH, NO_EVIDENCE, NO_POOL } from "./no-evidence.ts";
import { readOpen, removeOpen, writeOpen } from "./open-attempt.ts";
import { saveCopy } from "./saved-copy.ts";

/**
 * Mode `in_place` in a plain directory: the tree is a hash over the files that no `.gitignore` names, saving is a copy,
 * and nothing is landed. `stateDir` is a folder of this project alone; it keeps what attempts started from and what was
 * saved. A directory has no past to go back to, so what an attempt left is never cleared.
 */
export function inPlaceDirectory(root: string, { stateDir }: { stateDir: string }): Workspace {
  const dir = resolve(root);
  const manifests = join(stateDir, "trees");
  const reader = directoryReader(dir);
  const read = () => readTree(dir, reader);
  // A landing and a claim beside it may both keep what the same attempt left: the second finds it kept.
  let saving: Promise<unknown> = Promise.resolve();
  const save = (task: WorkspaceTask): Promise<Saved | WorkspaceRefusal> => {
    const saved = saving.then(() => saveOpened({ dir, stateDir, manifests, read, task }));
    saving = saved.then(
      () => null,
      () => null,
    );
    return saved;
  };
  return {
    inspect: async () => gone(dir) ?? { target: null },
    probe: async () => answer(dir, await read()),
    opened: async () => openedTask(stateDir),
    occupied: async () => {
      const open = openedTask(stateDir);
      return open === null ? [] : [open];
    },
    open: async ({ plan, slug, n }) => {
      const found = await read();
      if ("code" in found) return found;
      keepManifest(manifests, found.tree, found.files);
      writeOpen(stateDir, { plan, slug, n, base: found.tree });
      return answer(dir, found);
    },
    candidate: async ({ base }) => {
      const found = await read();
      if ("code" in found) return found;
      const from = base ?? readOpen(stateDir)?.base ?? found.tree;
      const changes = from === found.tree ? [] : diffManifests(loadManifest(manifests, from), found.files);
      const changed = changes.map(({ path, status }) => ({ path: readable(path), status }));
      return { dir, target: null, tip: null, commit: null, tree: found.tree, changed };
    },
    sides: async (candidate, wanted) => addedSides(dir, candidate, wanted),
    land: async () => {
      removeOpen(stateDir);
      return { landed: true };
    },
    holds: async () => false,
    save,
    pin: async () => null,
    ...NO_EVIDENCE,
    ...NO_BRANCH,
    ...NO_POOL,
    inUse: async () => [await copiesInUse(stateDir)],
  };
}

function openedTask(stateDir: string): WorkspaceTask | null {
  const open = readOpen(stateDir);
  return open === null ? null : { plan: open.plan, slug: open.slug, n: open.n };
}

/** What no attempt has opened is nobody's work, and stays where it is like everything here. */
async function saveOpened({ dir, stateDir, manifests, read, task }: SaveRequest): Promise<Saved | WorkspaceRefusal> {
  const open = readOpen(stateDir);
  if (open === null) return { saved: null };
  const { base } = open;
  const found = await read();
  if ("code" in found) return found;
  const changes = base === found.tree ? [] : diffManifests(loadManifest(manifests, base), found.files);
  const saved =
    changes.length === 0 ? { saved: null } : await saveCopy({ root: dir, stateDir, task, tree: found.tree, changes });
  if (!("code" in saved)) removeOpen(stateDir);
  return saved;
}

interface SaveRequest {
  dir: string;
  stateDir: string;
  manifests: string;
  read(): Promise<DirectoryTree | WorkspaceRefusal>;
  task: WorkspaceTask;
}

function answer(dir: string, found: DirectoryTree | WorkspaceRefusal): OpenedWorkspace | WorkspaceRefusal {
  return "code" in found ? found : { dir, target: null, base: found.tree, tree: found.tree };
}

function gone(dir: string): WorkspaceRefusal | null {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return null;
  return { code: "missing", text: `the directory is gone: ${dir}` };
}

async function readTree(dir: string, reader: DirectoryReader): Promise<DirectoryTree | WorkspaceRefusal> {
  try {
    const text = `more than ${FILES_MAX} files in ${dir}: name some in .gitignore, or make it a git repository`;
    return gone(dir) ?? (await reader.read()) ?? { code: "too_large", text };
  } catch (error) {
    // The file system said no (an error of the disk, the root closed to us); anything without a code is our own bug.
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code: "unreadable", text: `${dir} cannot be read: ${message}` };
  }
}
