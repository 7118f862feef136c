/** One project with its store: what every surface starts from. Nothing is opened before it is asked for. */

import { existsSync } from "node:fs";
import { systemClock } from "../adapters/clock/system-clock.ts";
import { configurationOf } from "./configuration.ts";
import type { ProjectPlace } from "./find-project.ts";
import { findProject } from "./find-project.ts";
import { stateDirOf } from "./paths.ts";
import type { OpenProject, ProjectOptions } from "./project.ts";
import { checkPlace, ensureProjectId, lostProjectId, readProjectId } from "./project-id.ts";
import { storeFileOf } from "./store-location.ts";
import { ProjectUnusable } from "./unusable.ts";

/** Throws `ProjectUnusable` for what a person must change, `StoreUnavailable` for what the machine does not give. */
export async function openProject(options: ProjectOptions): Promise<OpenProject> {
  const { env, writes } = options;
  const place = findProject(options.cwd);
  const stateDir = stateDirOf(env);
  const id = readProjectId(place) ?? (await projectIdOf(place, stateDir, writes));
  checkPlace(place, id, stateDir, writes);
  const storeFile = await storeFileOf(place, { store: options.store ?? null, cwd: options.cwd, stateDir });
  if (!writes && !existsSync(storeFile)) noPlan();
  const { openSqliteStore } = await import("./sqlite.ts");
  const store = await openSqliteStore(storeFile, { clock: systemClock });
  const configuration = once(() => configurationOf(place, id, store, writes));
  const opened: OpenProject = {
    id,
    place,
    store,
    storeFile,
    stateDir,
    locks: { acquire: async (file, waitMs) => (await import("./locks.ts")).sqliteLocks().acquire(file, waitMs) },
    configuration,
    context: once(async () => {
      const { engineContext } = await import("./engine-context.ts");
      return engineContext(opened, await configuration(), options);
    }),
    close: () => store.close(),
  };
  return opened;
}

/** A place without an id is a new project, unless its id was only lost. */
async function projectIdOf(place: ProjectPlace, stateDir: string, writes: boolean): Promise<string> {
  const lost = lostProjectId(place, stateDir);
  if (lost !== null) return writes ? ensureProjectId(place, () => lost) : lost;
  return writes ? newProjectId(place) : noPlan();
}

async function newProjectId(place: ProjectPlace): Promise<string> {
  const { systemIds } = await import("../adapters/clock/system-ids.ts");
  return ensureProjectId(place, () => systemIds().next());
}

function noPlan(): never {
  throw new ProjectUnusable("no_plan", "this project has no plan yet", "`lockstep plan load FILE` loads one.");
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
