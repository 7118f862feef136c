/** Puts the ports of the engine together for one project. */

import { dirname, join } from "node:path";
import { systemClock } from "../adapters/clock/system-clock.ts";
import { freeSpaceAt } from "../adapters/machine/free-space.ts";
import type { ProjectConfig } from "../config/config.ts";
import { invariant } from "../core/assert.ts";
import { hasOwnBranch } from "../core/plan/definition.ts";
import type { EngineContext, EngineSettings, ForesightPace } from "../engine/context.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { ActingPorts } from "./acting.ts";
import { agentDraws } from "./agent-draws.ts";
import { childEnv } from "./child-env.ts";
import type { Configuration } from "./configuration.ts";
import { lazyPublisher } from "./lazy-publisher.ts";
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
  given: ProjectOptions,
): Promise<EngineContext> {
  const options = { ...given, env: withoutToken(config, given.env) };
  const { id, place, store, storeFile, stateDir } = project;
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
    freeSpace: freeSpaceAt(
      [place.root, stateDir, join(projectStateDir(stateDir, id), "worktrees"), dirname(storeFile)],
      systemClock,
    ),
    ...(options.writes ? { publisher: lazyPublisher(config, place.root, given.env) } : {}),
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
    foresight: hasOwnBranch(config.workspace.mode) && config.land.foresight === "on" ? FORESIGHT : null,
    hooks: config.hooks,
    commits: { message: config.land.message, style: { author: config.land.author, sign: config.land.sign } },
    publishing: { draft: config.publish.draft, lookMs: LOOK_MS },
  };
}

/** An answer of a person takes minutes at best, and a forge counts what it is asked. */
const LOOK_MS = 60_000;

/** The token is the publisher's alone: no agent, check, hook or setup of a workspace is ever given it. */
function withoutToken({ publish: { token_env } }: ProjectConfig, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== token_env));
}

function agentJobs({ agents }: ProjectConfig): Record<string, number> {
  const limited = Object.entries(agents).flatMap(([name, { jobs }]) => (jobs === null ? [] : [[name, jobs] as const]));
  return Object.fromEntries(limited);
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
