/** The project that a directory belongs to, found by reading files alone. */

import { realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { RepositoryPlace } from "../adapters/workspace/repository-place.ts";
import { ANCESTORS_MAX, findRepository } from "../adapters/workspace/repository-place.ts";
import { ProjectUnusable } from "./unusable.ts";

export const CONFIG_FILE = "lockstep.yaml";

export interface ProjectPlace {
  /** The directory of `lockstep.yaml`. */
  root: string;
  config_file: string;
  /** True inside a git repository. */
  repository: boolean;
  /** Folder of lockstep's own small files: `<git common dir>/lockstep`, or `.lockstep` in a plain directory. */
  home: string;
  /** Where in its repository the project lies; empty at the top. */
  folder: string;
}

/** Throws `ProjectUnusable` (`no_project`) when no directory from `start` upwards holds a `lockstep.yaml`. */
export function findProject(start: string): ProjectPlace {
  const root = rootAbove(start);
  if (root !== null) return placeAt(root);
  const message = `no ${CONFIG_FILE} in ${resolve(start)} or above it`;
  throw new ProjectUnusable("no_project", message, "`lockstep init` makes this directory a project.");
}

/** The nearest directory that holds a `lockstep.yaml`, or null. */
export function rootAbove(start: string): string | null {
  let dir = real(resolve(start));
  for (let depth = 0; depth < ANCESTORS_MAX; depth++) {
    if (statSync(join(dir, CONFIG_FILE), { throwIfNoEntry: false }) !== undefined) return dir;
    const parent = dirname(dir);
    if (parent === dir) return null;
    dir = parent;
  }
  return null;
}

export function isInRepository(dir: string): boolean {
  return findRepository(dir) !== null;
}

/** The same directory has one name only, whatever links lead to it. */
function real(dir: string): string {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(dir);
  throw new ProjectUnusable("no_project", `there is no directory ${dir}`, "Name a directory that exists.");
}

function placeAt(root: string): ProjectPlace {
  const repository = findRepository(root) ?? bareRepository(root);
  return {
    root,
    config_file: join(root, CONFIG_FILE),
    repository: repository !== null,
    home: repository === null ? join(root, ".lockstep") : join(repository.common_dir, "lockstep"),
    folder: repository === null ? "" : relative(repository.top, root),
  };
}

/** A repository without a work tree counts as one, so that it is refused by its name and not taken for a plain directory. */
function bareRepository(dir: string): RepositoryPlace | null {
  const isBare = ["HEAD", "objects", "refs"].every((name) => statSync(join(dir, name), { throwIfNoEntry: false }));
  return isBare ? { top: dir, git_dir: dir, common_dir: dir } : null;
}
