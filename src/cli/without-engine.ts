/** What has to be done to agents though no engine is there to do it: whoever lets go of the engine's lock does, so this takes it. */

import { asEngine } from "../compose/engine-lock.ts";
import { livingEngines } from "../compose/engines.ts";
import type { OpenProject } from "../compose/project.ts";

/** An engine that comes or goes holds its lock for so short a time; beyond it, it has heard of what is to end. */
const LOCK_WAIT_MS = 2_000;
const LOCK_PAUSE_MS = 50;

/** Resolves when nothing that is to end is alive and what was said is said, or when the project has an engine, which then sees to it. */
export async function endWithoutEngine(project: OpenProject, plan: string | null): Promise<void> {
  const context = await project.context();
  const { clock, store } = context;
  for (const until = clock.monotonic() + LOCK_WAIT_MS; clock.monotonic() < until; await clock.sleep(LOCK_PAUSE_MS)) {
    const taken = await asEngine(project, context, plan, async () => null);
    if (taken === null || (await livingEngines(store, project.id)).length > 0) return;
  }
}
