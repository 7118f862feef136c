/** Which database a project uses, before any of it is opened. */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { checkConfiguration } from "./configuration.ts";
import type { ProjectPlace } from "./find-project.ts";
import { defaultStoreFile } from "./paths.ts";
import { ProjectUnusable } from "./unusable.ts";

export interface StoreWish {
  /** As `--store` says, or null. */
  store: string | null;
  /** What a relative `--store` starts from. */
  cwd: string;
  stateDir: string;
}

/** The file of the store: `--store`, else `store:` of the configuration, else the user's own. */
export async function storeFileOf(place: ProjectPlace, { store, cwd, stateDir }: StoreWish): Promise<string> {
  if (store !== null) return resolve(cwd, fileOnly(store));
  const written = mayNameStore(place) ? (await checkConfiguration(place)).config.store : null;
  return written === null ? defaultStoreFile(stateDir) : resolve(place.root, expandHome(fileOnly(written)));
}

/** The whole configuration is read only where its text could name a store: that is what hot commands must not do. */
function mayNameStore({ config_file }: ProjectPlace): boolean {
  const lines = readFileSync(config_file, "utf8").split("\n");
  return lines.some((line) => /store|\\/.test(line) && !/^\s*#/.test(line));
}

function fileOnly(name: string): string {
  if (!/^postgres(ql)?:/.test(name)) return name;
  throw new ProjectUnusable("store_later", "a PostgreSQL store comes with a later version", "Name a file: --store FILE.");
}

function expandHome(name: string): string {
  return name.startsWith("~/") ? join(homedir(), name.slice(2)) : name;
}
