/** The ports of whoever acts, and not only looks: child processes, runners, new ids, bulk files. */

import { fileBlobs } from "../adapters/blobs/file-blobs.ts";
import { systemIds } from "../adapters/clock/system-ids.ts";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import type { EngineContext } from "../engine/context.ts";
import { type RunnersOptions, runnersOf } from "./runners.ts";

/** What only those use who change something. */
export type ActingPorts = Pick<EngineContext, "processes" | "runners" | "ids" | "blobs">;

export function actingPorts(options: Omit<RunnersOptions, "processes">): ActingPorts {
  const processes = localProcesses();
  const runners = runnersOf({ ...options, processes });
  return { processes, runners, ids: systemIds(), blobs: fileBlobs(options.stateDir) };
}
