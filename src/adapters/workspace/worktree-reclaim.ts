import { existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import type { Reclaimed, ReclaimRequest } from "../../ports/workspace-disk.ts";
import { type Checkout, inCheckout, lookAt } from "./checkout.ts";
import { unsavedCommits } from "./clone-record.ts";
import { folderBytes } from "./folder-bytes.ts";
import { gitIn, refusalOf } from "./git.ts";
import { forget, NOTE, noteOf, untouchedWorktree } from "./kept-worktree.ts";
import { reclaimBranches } from "./landed-branches.ts";
import { landingUser } from "./landing-worktree.ts";
import { labelOf, type WorktreeSettings } from "./worktree-settings.ts";
import { takenSlots } from "./worktree-slots.ts";
import { unsavedWork } from "./worktree-unsaved.ts";

/** A worktree that was taken off the pool, its files not yet all removed. */
const GONE = /\.gone-\d+$/;

/** A file that replaces another is written beside it first, and so is a clone and the way to one: one of these is what a killed process left. */
const HALF_WRITTEN = /\.(json|clone|front)[.-]\d+$/;

/** Neither takes so long. */
const HALF_WRITTEN_MS = 3_600_000;

/** A repository that an agent made inside its worktree, or a hook that it planted, put aside when the rest was saved. */
const ASIDE = /\.repository(-.*)?$|^planted-/;

const PLANTED = "an agent put it into the repository: look at it, then remove it";

/** See `Workspace.reclaim`. Each worktree is looked at and taken off the pool under the repository's lock. */
export async function reclaim(
  settings: WorktreeSettings,
  request: ReclaimRequest,
): Promise<Reclaimed | WorkspaceRefusal> {
  const found: Reclaimed = { freed: [], kept: [] };
  for (const name of namesIn(settings.folder).flatMap((file) => NOTE.exec(file)?.[1] ?? [])) {
    const refusal = await reclaimWorktree(settings, name, request.dry_run, found);
    if (refusal !== null) return refusal;
  }
  const gone = found.freed.map(({ name }) => name);
  const branches = await reclaimBranches(settings, request, gone);
  if ("code" in branches) return branches;
  found.freed.push(...branches.freed);
  found.kept.push(...branches.kept);
  await reclaimLeftovers(settings, request.dry_run, found);
  return found;
}

function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder).sort();
}

async function reclaimWorktree(
  settings: WorktreeSettings,
  name: string,
  isDry: boolean,
  found: Reclaimed,
): Promise<WorkspaceRefusal | null> {
  const { top, locks, folder } = settings;
  const bytes = await folderBytes(join(folder, name));
  const act = async (checkout: Checkout) => {
    const why = await whyKept(checkout, settings, name);
    return why ?? { aside: isDry ? null : takeOff(checkout, settings, name) };
  };
  const end = isDry ? await lookAt(top, act) : await inCheckout(top, locks, act);
  if (typeof end === "string") found.kept.push({ kind: "worktree", name, why: end });
  else if ("code" in end) return end;
  else {
    found.freed.push({ kind: "worktree", name, bytes });
    // Not under the lock: a large one takes its time, and attempts wait for nothing here.
    if (end.aside !== null) await removeAll(end.aside, found);
  }
  return null;
}

/** Null when nobody has the worktree and all that it holds is kept elsewhere. */
async function whyKept({ place }: Checkout, settings: WorktreeSettings, name: string): Promise<string | null> {
  const { folder, processes } = settings;
  const taken = takenSlots(folder).find(({ slot }) => slot === name);
  if (taken !== undefined) return `${labelOf(taken.marker)} has it`;
  const user = landingUser(folder, name);
  if (user !== null && processes.alive(user.holder)) return `${labelOf(user)} is checked there`;
  const note = noteOf(folder, name);
  if (note?.setup_process && processes.alive(note.setup_process)) return "it is being set up";
  const dir = join(folder, name);
  // What a crash left half made, and what candidates are checked in, is nobody's work.
  if (!note?.git_name || name.startsWith("landing-") || !existsSync(dir)) return null;
  const { common_dir } = place;
  const git_dir = join(common_dir, "worktrees", note.git_name);
  const worktree = note.has_clone
    ? untouchedWorktree(common_dir, folder, name)
    : { name, git: gitIn(dir), place: { top: dir, git_dir, common_dir }, clone: null };
  if (worktree === null) return "git cannot read it: the repository does not know it any more";
  const commits = worktree.clone === null ? null : unsavedCommits(folder, name);
  if (commits !== null) return commits;
  try {
    return await unsavedWork(settings, worktree, note.last);
  } catch (error) {
    return `git cannot read it: ${refusalOf(error).text}`;
  }
}

/** The directory goes first: a note without one is what `open` makes anew. */
export function takeOff({ place }: Checkout, { folder }: WorktreeSettings, name: string): string | null {
  const dir = join(folder, name);
  const aside = join(folder, `${name}.gone-${process.pid}`);
  const exists = lstatSync(dir, { throwIfNoEntry: false }) !== undefined;
  if (exists) {
    rmSync(aside, { recursive: true, force: true });
    renameSync(dir, aside);
  }
  forget(place.common_dir, dir);
  for (const file of [`${name}.used.json`, `${name}.clone.json`, `${name}.json`])
    rmSync(join(folder, file), { force: true });
  return exists ? aside : null;
}

/** What cannot be removed stays under its new name for the next time. */
async function removeAll(path: string, found: Reclaimed): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    const { text } = refusalOf(error);
    found.kept.push({ kind: "temporary", name: path, why: text });
  }
}

async function reclaimLeftovers({ folder }: WorktreeSettings, isDry: boolean, found: Reclaimed): Promise<void> {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (ASIDE.test(name)) {
      const why = name.startsWith("planted-")
        ? PLANTED
        : "it is a repository that an agent made: look at it, then remove it";
      found.kept.push({ kind: "temporary", name: path, why });
    } else if (GONE.test(name) || (HALF_WRITTEN.test(name) && isOld(path))) {
      const isKnown = found.kept.some((kept) => kept.name === path);
      if (isKnown) continue;
      found.freed.push({ kind: "temporary", name, bytes: await folderBytes(path) });
      if (!isDry) await removeAll(path, found);
    }
  }
}

function isOld(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > HALF_WRITTEN_MS;
}
