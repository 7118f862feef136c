/** The project's checked configuration: from the store where it is known there, else read and checked anew. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ProjectConfig } from "../config/config.ts";
import type { Store } from "../ports/store.ts";
import type { ProjectPlace } from "./find-project.ts";
import { ProjectUnusable } from "./unusable.ts";

/** Raised when the same file is checked into another shape, so that what an older program cached is not believed. */
const SHAPE = 1;

export interface Configuration {
  config: ProjectConfig;
  /** SHA-256 of the file's bytes. */
  hash: string;
}

/** `remember`: what was checked is kept in the store, so that the next command needs no schema. */
export async function configurationOf(place: ProjectPlace, project: string, store: Store, remember: boolean): Promise<Configuration> {
  const hash = createHash("sha256").update(readFileSync(place.config_file)).digest("hex");
  const key = `${SHAPE}:${hash}`;
  const cached = (await store.cachedConfig(project, key)) as ProjectConfig | null;
  if (cached) return { config: cached, hash };
  const checked = await checkConfiguration(place);
  if (remember) await store.cacheConfig(project, `${SHAPE}:${checked.hash}`, checked.config);
  return checked;
}

/** Reads and checks the file. Pulls in the schema. Throws `ProjectUnusable` (`config`) with every problem. */
export async function checkConfiguration({ config_file }: ProjectPlace): Promise<Configuration> {
  const { readConfig } = await import("../config/read-config.ts");
  const read = await readConfig(config_file);
  if (read.ok) return { config: read.config, hash: read.hash };
  const count = read.problems.length === 1 ? "a problem" : `${read.problems.length} problems`;
  throw new ProjectUnusable("config", `${config_file} has ${count}`, "Mend the configuration, then run this again.", read.problems);
}
