/** Which database a project uses, before any of it is opened. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { checkConfiguration, configurationText } from "./configuration.ts";
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
  const written = await writtenStore(place);
  return written === null ? defaultStoreFile(stateDir) : resolve(place.root, expandHome(fileOnly(written)));
}

/** A line at the left margin that names a store in the plainest way there is. */
const PLAIN_STORE = /^store:[ \t]+(?:"([\w./~ -]+)"|'([\w./~ -]+)'|([\w./~-]+))[ \t]*(?:#.*)?$/;

/**
 * Hot commands must not check the whole configuration, so its text is looked at first: most name no store, or in one plain
 * line. Whatever could be meant otherwise is left to the parser.
 */
async function writtenStore(place: ProjectPlace): Promise<string | null> {
  const lines = configurationText(place).split(/[\r\n]+/);
  const naming = lines.filter((line) => /store|\\/.test(line) && !/^\s*#/.test(line));
  if (naming.length === 0) return null;
  const plain = naming.length === 1 ? PLAIN_STORE.exec(naming[0]!) : null;
  if (plain) return (plain[1] ?? plain[2] ?? plain[3])!;
  return (await checkConfiguration(place)).config.store;
}

function fileOnly(name: string): string {
  if (!/^postgres(ql)?:/.test(name)) return name;
  throw new ProjectUnusable(
    "store_later",
    "a PostgreSQL store comes with a later version",
    "Name a file: --store FILE.",
  );
}

function expandHome(name: string): string {
  return name.startsWith("~/") ? join(homedir(), name.slice(2)) : name;
}
