import type { Dispatch } from "../adapters/agent/inline-agent.ts";
import type { HostName } from "../config/availability.ts";
import type { EngineContext } from "../engine/context.ts";
import type { Locks } from "../ports/locks.ts";
import type { Store } from "../ports/store.ts";
import type { Configuration } from "./configuration.ts";
import type { ProjectPlace } from "./find-project.ts";

export interface ProjectOptions {
  /** A directory at or below the project's root. */
  cwd: string;
  /** A file that is used instead of the configured store; relative to `cwd`. */
  store?: string | null;
  env: NodeJS.ProcessEnv;
  /** False: nothing is made, neither the project's id nor the store. Then a project without them has no plan. */
  writes: boolean;
  /** Who acts: stands in every event. */
  actor: string;
  /** What holds the agents, instead of what the configuration says. */
  host?: HostName | null;
  /** Does the work of every attempt instead of the configured agents. */
  dispatch?: Dispatch;
}

export interface OpenProject {
  id: string;
  place: ProjectPlace;
  store: Store;
  storeFile: string;
  stateDir: string;
  locks: Locks;
  configuration(): Promise<Configuration>;
  /** What the engine works with. */
  context(): Promise<EngineContext>;
  close(): Promise<void>;
}
