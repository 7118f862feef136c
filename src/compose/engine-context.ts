/** Puts the ports of the engine together for one project. */

import { statfsSync } from "node:fs";
import { fileBlobs } from "../adapters/blobs/file-blobs.ts";
import { systemClock } from "../adapters/clock/system-clock.ts";
import { systemIds } from "../adapters/clock/system-ids.ts";
import { invariant } from "../core/assert.ts";
import type { ProjectConfig } from "../config/config.ts";
import type { EngineContext, EngineSettings } from "../engine/context.ts";
import type { Processes } from "../ports/processes.ts";
import { childEnv } from "./child-env.ts";
import type { Configuration } from "./configuration.ts";
import { lazyWorkspace } from "./lazy-workspace.ts";
import { projectStateDir } from "./paths.ts";
import type { OpenProject, ProjectOptions } from "./project.ts";

/** Nothing starts with less free space than this, unless the configuration says otherwise: a full disk breaks git and stores. */
const DISK_FLOOR_BYTES = 100 * 1024 * 1024;

export async function engineContext(project: OpenProject, { config }: Configuration, options: ProjectOptions): Promise<EngineContext> {
  const { id, place, store, stateDir } = project;
  const acting = options.writes ? (await import("./acting.ts")).actingPorts(config, options) : ONLY_LOOKING;
  return {
    store,
    clock: systemClock,
    ids: systemIds(),
    blobs: fileBlobs(stateDir),
    workspace: lazyWorkspace(async () => {
      const { workspaceFor } = await import("./workspace.ts");
      return workspaceFor({ ...project, stateDir: projectStateDir(stateDir, id) }, config.workspace.mode);
    }),
    settings: settingsOf(config),
    project: { id, root: place.root },
    actor: options.actor,
    env: childEnv(options.env),
    freeBytes: () => freeBytes(place.root),
    ...acting,
  };
}

function settingsOf(config: ProjectConfig): EngineSettings {
  return {
    jobs: config.jobs,
    agent: config.defaults.agent ?? null,
    agentJobs: {},
    hourly: null,
    diskFloorBytes: config.limits.disk_floor_bytes ?? DISK_FLOOR_BYTES,
    protect: config.protect,
  };
}

function freeBytes(dir: string): number | null {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}

/** Whoever only looks starts no process, and does not load what would. */
const ONLY_LOOKING: Pick<EngineContext, "processes" | "agent"> = {
  processes: new Proxy({} as Processes, { get: (_target, name) => invariant(false, `a command that only reads asked for processes.${String(name)}`) }),
  agent: () => null,
};
