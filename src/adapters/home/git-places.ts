/** What git needs of a repository to work in one of its worktrees. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface GitPlaces {
  writable: string[];
  /** Below these: what makes git run programs for whoever uses the repository next. */
  readable: string[];
}

/** Of the worktree that a directory lies in; nothing where it lies in none. */
export function gitPlaces(dir: string): GitPlaces {
  const top = topOf(dir);
  if (top === null) return { writable: [], readable: [] };
  const common = commonOf(join(top, ".git"));
  return { writable: [top, common], readable: [join(common, "hooks"), join(common, "config")] };
}

function topOf(dir: string): string | null {
  if (existsSync(join(dir, ".git"))) return dir;
  return dirname(dir) === dir ? null : topOf(dirname(dir));
}

/** A linked worktree has a file that names its own folder, and that names the one of all. */
function commonOf(git: string): string {
  if (statSync(git).isDirectory()) return git;
  const own = resolve(
    dirname(git),
    readFileSync(git, "utf8")
      .replace(/^gitdir: /, "")
      .trimEnd(),
  );
  const named = join(own, "commondir");
  return existsSync(named) ? resolve(own, readFileSync(named, "utf8").trimEnd()) : own;
}
