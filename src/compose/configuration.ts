/** The project's checked configuration: from the store where it is known there, else read and checked anew. */

import { readFileSync } from "node:fs";
import type { ProjectConfig } from "../config/config.ts";
import type { Store } from "../ports/store.ts";
import type { ProjectPlace } from "./find-project.ts";
import { ProjectUnusable } from "./unusable.ts";

/** Raised when the same file is checked into another shape, so that what an older program cached is not believed. */
const SHAPE = 9;

export interface Configuration {
  config: ProjectConfig;
  /** SHA-256 of the file's bytes. */
  hash: string;
}

/** `remember`: what was checked is kept in the store, so that the next command needs no schema. */
export async function configurationOf(
  place: ProjectPlace,
  project: string,
  store: Store,
  remember: boolean,
): Promise<Configuration> {
  const key = cacheKey(place);
  const cached = (await store.cachedConfig(project, key)) as Configuration | null;
  if (cached) return cached;
  const checked = await checkConfiguration(place);
  const isSame = cacheKey(place) === key;
  if (remember && isSame) await store.cacheConfig(project, key, checked);
  return checked;
}

/** Reads and checks the file. Pulls in the schema. Throws `ProjectUnusable` (`config`) with every problem. */
export async function checkConfiguration({ config_file, repository }: ProjectPlace): Promise<Configuration> {
  const { readConfig } = await import("../config/read-config.ts");
  const read = await readConfig(config_file, repository ? "repository" : "directory");
  if (read.ok) return { config: read.config, hash: read.hash };
  const count = read.problems.length === 1 ? "a problem" : `${read.problems.length} problems`;
  throw new ProjectUnusable(
    "config",
    `${config_file} has ${count}`,
    "Mend the configuration, then run this again.",
    read.problems,
  );
}

/** The file as it is. Throws `ProjectUnusable` (`config`) when it cannot be read. */
export function configurationText({ config_file }: ProjectPlace): string {
  try {
    return readFileSync(config_file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ProjectUnusable("config", `${config_file} cannot be read: ${message}`, "Make it a readable file.");
  }
}

/**
 * Tells versions of one user's own file apart, and a directory that has become a repository: 64 bits of FNV-1a in two halves, with its length. Not `node:crypto`, which
 * costs every command a tenth of its start; nobody gains anything by a collision here.
 */
function cacheKey(place: ProjectPlace): string {
  const text = configurationText(place);
  let a = 0x811c9dc5;
  let b = 0x9dc5811c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code ^ (a >>> 16), 0x01000193);
  }
  return `${SHAPE}${place.repository ? "r" : "d"}:${text.length}:${(a >>> 0).toString(16)}:${(b >>> 0).toString(16)}`;
}
