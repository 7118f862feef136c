import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { type Git, GitFailure, gitIn, gitWith } from "./git.ts";
import { readJson, writeJson } from "./json-file.ts";
import { type RepositoryPlace, repositoryAt } from "./repository-place.ts";
import { haveEveryFile } from "./sparse-worktree.ts";
import { workRef } from "./worktree-settings.ts";

/** A worktree that is kept from one use to the next. */
export interface KeptWorktree {
  /** Its name below the folder. */
  name: string;
  git: Git;
  place: RepositoryPlace;
  /** Git's folder of the clone that stands there for its agent; null where the agent works in the worktree itself. */
  clone: string | null;
}

/** What is noted of a kept worktree beside it, `<folder>/<name>.json`: a directory without one is not lockstep's. */
export interface WorktreeNote {
  /** Name of the repository's own folder for it, below `worktrees`; null as long as the worktree is being made. */
  git_name: string | null;
  /** What its last complete setup was made for. */
  setup_key: string | null;
  /** The setup command that runs. */
  setup_process: ProcessIdentity | null;
  /** `plan/slug` of the task that had it last. */
  last: string | null;
  /** Its `.git` is a clone for its agent, or is about to be one: no git of the engine's goes by it. */
  has_clone?: boolean;
}

/** Leftovers of git commands that were killed; nothing of ours or of an agent runs in the worktree any more. */
const LEFTOVERS = ["index.lock", "HEAD.lock", "rebase-merge", "rebase-apply", "BISECT_LOG", "BISECT_START"];
const LOCK_FILES = LEFTOVERS.slice(0, 2);

/** Foreign repositories that were put aside from one worktree. */
const ASIDE_MAX = 1_000;

/** `<slot>.json` and `landing-<hash>.json`: what is noted of a worktree. */
export const NOTE = /^(\d+|landing-[0-9a-f]+(?:-\d+)?)\.json$/;

export function noteOf(folder: string, name: string): WorktreeNote | null {
  return readJson(join(folder, `${name}.json`)) as WorktreeNote | null;
}

export function writeNote(folder: string, name: string, note: WorktreeNote): void {
  writeJson(join(folder, `${name}.json`), note);
}

/** Worktrees of the pool that git knows, those where candidates are checked too, and git's own folder of each. */
export function pooledWorktrees(commonDir: string, folder: string): { dir: string; gitDir: string }[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder).flatMap((file) => {
    const name = NOTE.exec(file)?.[1];
    const gitName = name === undefined ? null : (noteOf(folder, name)?.git_name ?? null);
    if (name === undefined || gitName === null) return [];
    return [{ dir: join(folder, name), gitDir: join(commonDir, "worktrees", gitName) }];
  });
}

/**
 * The worktree of that name, made when there is none, its files not yet checked out. One that a crash left half made is
 * made anew. Call only while holding the repository's lock.
 */
export async function ensureWorktree(
  repository: { git: Git; place: RepositoryPlace },
  { folder, name, commit }: { folder: string; name: string; commit: string },
): Promise<KeptWorktree | WorkspaceRefusal> {
  const { common_dir } = repository.place;
  const dir = join(folder, name);
  const note = noteOf(folder, name);
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat !== undefined && note === null) {
    return { code: "not_clean", text: `${dir} is in the way: lockstep did not make it; move it elsewhere` };
  }
  if (stat?.isDirectory() && note !== null && note.git_name !== null)
    return keptWorktree(common_dir, folder, name, commit)!;
  rmSync(dir, { recursive: true, force: true });
  writeNote(folder, name, { git_name: null, setup_key: null, setup_process: null, last: null });
  forget(common_dir, dir);
  await repository.git.text(["worktree", "add", "--quiet", "--no-checkout", "--detach", dir, commit]);
  const place = repositoryAt(dir);
  if (place === null) throw new GitFailure(`git worktree made nothing at ${dir}`);
  await haveEveryFile(dir, place);
  writeNote(folder, name, { git_name: basename(place.git_dir), setup_key: null, setup_process: null, last: null });
  return { name, git: gitIn(dir), place, clone: null };
}

/**
 * A worktree that exists, linked to its repository again should an agent have broken the link. `head` is what HEAD is
 * given when even that is lost: a commit, or `ref: NAME`. Null when there is no such worktree.
 */
export function keptWorktree(commonDir: string, folder: string, name: string, head: string): KeptWorktree | null {
  const dir = join(folder, name);
  const note = noteOf(folder, name);
  const gitName = note?.git_name ?? null;
  // A link in its place is an agent's, and leads to what is not lockstep's.
  if (gitName === null || !lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return null;
  const gitDir = join(commonDir, "worktrees", gitName);
  restoreGitDir(gitDir, dir, head);
  for (const lock of LOCK_FILES) rmSync(join(gitDir, lock), { force: true });
  const place = { top: dir, git_dir: gitDir, common_dir: commonDir };
  if (note?.has_clone) return { name, git: pinnedGit(place), place, clone: join(dir, ".git") };
  relink(folder, name, gitDir);
  return { name, git: gitIn(dir), place, clone: null };
}

/** Git of a worktree that does not believe the `.git` that stands there. */
export function pinnedGit({ top, git_dir }: RepositoryPlace, env: Record<string, string> = {}): Git {
  return gitWith(gitIn(top), env, { GIT_DIR: git_dir, GIT_WORK_TREE: top });
}

/** A worktree that nobody is to be hindered in: of it nothing is mended, and no lock removed. Null when there is none. */
export function untouchedWorktree(commonDir: string, folder: string, name: string): KeptWorktree | null {
  const top = join(folder, name);
  const note = noteOf(folder, name);
  if (!note?.git_name || !lstatSync(top, { throwIfNoEntry: false })?.isDirectory()) return null;
  const git_dir = join(commonDir, "worktrees", note.git_name);
  if (statSync(join(git_dir, "HEAD"), { throwIfNoEntry: false }) === undefined) return null;
  const place = { top, git_dir, common_dir: commonDir };
  return { name, git: pinnedGit(place), place, clone: note.has_clone ? join(top, ".git") : null };
}

/** Ends whatever an agent's git was in the middle of, a merge aside, which a checkout ends. */
export function endOperations({ place }: KeptWorktree): void {
  for (const name of LEFTOVERS) rmSync(join(place.git_dir, name), { recursive: true, force: true });
}

/** A git of the attempt that was killed may have left its branch locked: nothing of the attempt lives any more. */
export function dropBranchLock({ common_dir }: Pick<RepositoryPlace, "common_dir">, task: WorkspaceTask): void {
  rmSync(join(common_dir, `${workRef(task)}.lock`), { force: true });
}

/** An agent may leave the index in any state; without one git looks at every file anew. */
export function dropIndex({ place }: KeptWorktree): void {
  rmSync(join(place.git_dir, "index"), { force: true });
}

/** A `.git` that was deleted is written again; a repository in its place is moved aside, not lost. */
function relink(folder: string, name: string, gitDir: string): void {
  const dotGit = join(folder, name, ".git");
  const stat = lstatSync(dotGit, { throwIfNoEntry: false });
  if (stat?.isFile() && readFileSync(dotGit, "utf8").startsWith(`gitdir: ${gitDir}`)) return;
  if (stat?.isDirectory()) renameSync(dotGit, freeName(join(folder, `${name}.repository`)));
  else if (stat?.isFile() && repositoryAt(join(folder, name))?.git_dir === gitDir) return;
  else rmSync(dotGit, { force: true });
  writeFileSync(dotGit, `gitdir: ${gitDir}\n`);
}

/** A path that is not taken: itself, or with a number at its end. */
export function freeName(path: string): string {
  for (let copy = 1; copy <= ASIDE_MAX; copy += 1) {
    const name = copy === 1 ? path : `${path}-${copy}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
  throw new GitFailure(`${ASIDE_MAX} repositories were put aside at ${path}: remove them`);
}

function restoreGitDir(gitDir: string, dir: string, head: string): void {
  if (statSync(join(gitDir, "HEAD"), { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(gitDir, { recursive: true });
  writeFileSync(join(gitDir, "commondir"), "../..\n");
  writeFileSync(join(gitDir, "gitdir"), `${join(dir, ".git")}\n`);
  writeFileSync(join(gitDir, "HEAD"), `${head}\n`);
}

/** Takes a worktree that is gone off the repository's list; `git worktree prune` would take off the user's as well. */
export function forget(commonDir: string, dir: string): void {
  const listed = join(commonDir, "worktrees");
  if (statSync(listed, { throwIfNoEntry: false }) === undefined) return;
  for (const name of readdirSync(listed)) {
    const gitdir = join(listed, name, "gitdir");
    if (statSync(gitdir, { throwIfNoEntry: false }) === undefined) continue;
    if (resolve(join(listed, name), readFileSync(gitdir, "utf8").trimEnd()) !== join(dir, ".git")) continue;
    rmSync(join(listed, name), { recursive: true, force: true });
  }
}
