/** One engine per project and node: held by a lock that the kernel frees, and told by a row that others can read. */

import type { Holder } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import { engineLockFile } from "./paths.ts";
import type { OpenProject } from "./project.ts";

/** Acts as the project's engine, or names who does so already. */
export async function asEngine<T>(
  project: OpenProject,
  context: EngineContext,
  act: () => Promise<T>,
): Promise<T | { engines: Holder[] }> {
  const { store, id, stateDir, locks } = project;
  const release = await locks.acquire(engineLockFile(stateDir, id), 0);
  if (release === null) return { engines: await store.engines(id) };
  const self = context.processes.self();
  try {
    await store.setEngine(id, self, true);
    return await act();
  } finally {
    await store.setEngine(id, self, false);
    release();
  }
}
