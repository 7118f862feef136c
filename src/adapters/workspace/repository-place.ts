import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** No real path is deeper; guards against a file system that never reaches its root. */
export const ANCESTORS_MAX = 256;

/** Where a repository's parts lie, as absolute paths. */
export interface RepositoryPlace {
  /** The directory that holds `.git`. */
  top: string;
  /** Of this work tree: its index and HEAD. */
  git_dir: string;
  /** Of the repository: the same for all its work trees. */
  common_dir: string;
}

/** The repository whose work tree a directory lies in, found by reading files alone; null when there is none. */
export function findRepository(start: string): RepositoryPlace | null {
  let top = resolve(start);
  for (let depth = 0; depth < ANCESTORS_MAX; depth += 1) {
    const found = repositoryAt(top);
    if (found !== null) return found;
    const parent = dirname(top);
    if (parent === top) return null;
    top = parent;
  }
  return null;
}

/** The repository whose work tree has its top at this very directory, or null. */
export function repositoryAt(top: string): RepositoryPlace | null {
  const gitDir = gitDirAt(top);
  return gitDir === null ? null : { top, git_dir: gitDir, common_dir: commonDirOf(gitDir) };
}

/** `.git` is a directory, or in a linked work tree or a submodule a file that names one. */
function gitDirAt(top: string): string | null {
  const dotGit = join(top, ".git");
  const stat = statSync(dotGit, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isDirectory())
    return statSync(join(dotGit, "HEAD"), { throwIfNoEntry: false }) === undefined ? null : dotGit;
  const named = /^gitdir: (.+)/.exec(readFileSync(dotGit, "utf8"))?.[1]?.trimEnd();
  return named === undefined ? null : resolve(top, named);
}

function commonDirOf(gitDir: string): string {
  const file = join(gitDir, "commondir");
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return gitDir;
  return resolve(gitDir, readFileSync(file, "utf8").trimEnd());
}
