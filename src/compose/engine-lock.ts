/** One engine per project and node: held by a lock that the kernel frees, and told by a row that others can read. */

import type { EngineContext } from "../engine/context.ts";
import { endAbandoned } from "../engine/end-stopped.ts";
import type { EngineRow, Store } from "../ports/store.ts";
import { engineLockFile } from "./paths.ts";
import type { OpenProject } from "./project.ts";

/**
 * Acts as the project's engine, or names who does so already: nobody in the moment in which that one comes or goes.
 * `plan`: whose run it carries; null where it does something else.
 */
export async function asEngine<T>(
  project: OpenProject,
  context: EngineContext,
  plan: string | null,
  act: () => Promise<T>,
): Promise<T | { engines: EngineRow[] }> {
  const { store, id, stateDir, locks } = project;
  const release = await locks.acquire(engineLockFile(stateDir, id), 0);
  if (release === null) return { engines: await store.engines(id) };
  try {
    const result = await whileShown(store, id, { ...context.processes.self(), plan }, act);
    // Whoever finds the row gone tries the lock until it is free, so no stop falls between the two.
    await endAbandoned(context);
    return result;
  } finally {
    release();
  }
}

async function whileShown<T>(store: Store, project: string, engine: EngineRow, act: () => Promise<T>): Promise<T> {
  await store.setEngine(project, engine, true);
  try {
    return await act();
  } finally {
    await store.setEngine(project, engine, false);
  }
}
