/** Puts the ports of the engine together for one project. */

import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../adapters/clock/system-clock.ts";
import type { ProjectConfig } from "../config/config.ts";
import { invariant } from "../core/assert.ts";
import type { EngineContext, EngineSettings, ForesightPace } from "../engine/context.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { ActingPorts } from "./acting.ts";
import { agentDraws } from "./agent-draws.ts";
import { childEnv } from "./child-env.ts";
import type { Configuration } from "./configuration.ts";
import { lazyWorkspace } from "./lazy-workspace.ts";
import { projectStateDir } from "./paths.ts";
import type { OpenProject, ProjectOptions } from "./project.ts";

/** Nothing starts with less free space than this, unless the configuration says otherwise: a full disk breaks git and stores. */
const DISK_FLOOR_BYTES = 100 * 1024 * 1024;

/**
 * Agents change files in seconds, and what conflicts is told early enough in a fraction of a minute. No more than half a
 * percent of the time is spent on it, however large the repository is.
 */
const FORESIGHT: ForesightPace = { everyMs: 10_000, pauses: 200 };

export async function engineContext(
  project: OpenProject,
  { config }: Configuration,
  options: ProjectOptions,
): Promise<EngineContext> {
  const { id, place, store, stateDir } = project;
  const ports = options.writes
    ? (await import("./acting.ts")).actingPorts({
        config,
        root: dirname(place.config_file),
        stateDir,
        project: options,
      })
    : onlyLooking(stateDir);
  return {
    store,
    clock: systemClock,
    workspace: lazyWorkspace(async () => {
      const { workspaceFor } = await import("./workspace.ts");
      return workspaceFor({ ...project, stateDir: projectStateDir(stateDir, id) }, config, options.env);
    }),
    settings: settingsOf(config),
    project: { id, root: place.root },
    actor: options.actor,
    env: childEnv(options.env),
    freeBytes: () => freeBytes(place.root),
    ...ports,
  };
}

function settingsOf(config: ProjectConfig): EngineSettings {
  return {
    jobs: config.jobs,
    agent: config.defaults.agent ?? null,
    agentJobs: agentJobs(config),
    draws: new Map(Object.entries(config.agents).map(([name, agent]) => [name, agentDraws(name, agent)])),
    hourly: config.limits.attempts_per_hour,
    diskFloorBytes: config.limits.disk_floor_bytes ?? DISK_FLOOR_BYTES,
    protect: config.protect,
    foresight: config.workspace.mode === "worktree" && config.land.foresight === "on" ? FORESIGHT : null,
    hooks: config.hooks,
  };
}

function agentJobs({ agents }: ProjectConfig): Record<string, number> {
  const limited = Object.entries(agents).flatMap(([name, { jobs }]) => (jobs === null ? [] : [[name, jobs] as const]));
  return Object.fromEntries(limited);
}

function freeBytes(dir: string): number | null {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}

/** Whoever only looks starts no process and writes no file, and does not load what would. */
function onlyLooking(stateDir: string): ActingPorts {
  const read = async (): Promise<Blobs> => (await import("../adapters/blobs/file-blobs.ts")).fileBlobs(stateDir);
  return {
    processes: absent("processes"),
    ids: absent("ids"),
    blobs: {
      find: async (name) => (await read()).find(name),
      end: async (name, bytes) => (await read()).end(name, bytes),
      list: async function* (kind, depth) {
        yield* (await read()).list(kind, depth);
      },
      remove: () => absentPort("blobs"),
      path: () => absentPort("blobs"),
      write: () => absentPort("blobs"),
    },
    runners: absent("runners"),
  };
}

function absent<T extends object>(port: string): T {
  return new Proxy({} as T, { get: () => absentPort(port) });
}

function absentPort(port: string): never {
  invariant(false, `a command that only reads asked for ${port}`);
}
