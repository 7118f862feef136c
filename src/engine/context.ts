/** What the engine works with: one project, its store, and the ports to the world. */

import type { HookSettings } from "../core/policy/hooks.ts";
import { type Draws, drawsOn } from "../core/schedule/holds.ts";
import type { Caps } from "../core/task/commands/tasks.ts";
import type { Holder } from "../core/task/rows.ts";
import type { AgentPrograms } from "../ports/agent-probe.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Processes } from "../ports/processes.ts";
import type { Publisher } from "../ports/publisher.ts";
import type { Runners } from "../ports/runner.ts";
import type { Store } from "../ports/store.ts";
import type { CommitStyle, Workspace } from "../ports/workspace.ts";

export interface ForesightPace {
  /** The least time between two looks, milliseconds. */
  everyMs: number;
  /** A look is followed by a pause of so many times what it took. */
  pauses: number;
}

export interface EngineSettings {
  /** Attempts at once in this project. */
  jobs: number;
  /** The agent of tasks that name none. */
  agent: string | null;
  /** Attempts at once by agent; absent is no limit. */
  agentJobs: Readonly<Record<string, number>>;
  /** What each configured agent works by. */
  draws: ReadonlyMap<string, Draws>;
  /** Attempts begun within an hour, at most; null is no limit. */
  hourly: number | null;
  /** Nothing starts with less free space than this. */
  diskFloorBytes: number;
  /** Globs that no attempt may change, beside a task's own. */
  protect: readonly string[];
  /** How often it is looked at what work under way will conflict with; null: nobody looks. */
  foresight: ForesightPace | null;
  /** Commands that are told what happens. */
  hooks: HookSettings;
  /** How commits that land are written; absent: by title, as git is configured. */
  commits?: CommitSettings;
  /** Absent: nothing is published. */
  publishing?: PublishingSettings;
}

export interface CommitSettings {
  /** With the placeholders of `core/task/commit-message.ts`; null: the task's title. */
  message: string | null;
  style: CommitStyle;
}

export interface PublishingSettings {
  /** A new pull request begins as a draft. */
  draft: boolean;
  /** How often an open one is looked at, milliseconds. */
  lookMs: number;
}

export interface FreeSpace {
  bytes: number;
  /** Absolute path of the place. */
  at: string;
}

export interface EngineContext {
  store: Store;
  clock: Clock;
  ids: Ids;
  processes: Processes;
  blobs: Blobs;
  workspace: Workspace;
  settings: EngineSettings;
  project: { id: string; root: string };
  /** Who acts: stands in every event. */
  actor: string;
  /** What a child process may see of this one's environment. */
  env: Record<string, string>;
  /** Free space where least is left of all places that work needs; null when the machine does not tell. */
  freeSpace(): FreeSpace | null;
  /** What holds the agents of attempts. */
  runners: Runners;
  /**
   * The program of a check's command that is not there and that no tree can bring, looked up as from `dir` with what
   * checks see of the environment; null: none. Absent: nobody can tell.
   */
  missingProgram?(command: string, dir: string): Promise<string | null>;
  /** What is known of the agents' programs; absent: all of them may start. */
  programs?: AgentPrograms;
  /** Where work is offered to people outside; absent: nowhere. */
  publisher?: Publisher;
}

export function holderOf({ processes }: EngineContext): Holder {
  return processes.self();
}

/** A pid alone may be another's by now; in a container the next engine often has the pid of the dead one. */
export function isSameProcess(a: Holder, b: Holder): boolean {
  return a.node === b.node && a.boot === b.boot && a.pid === b.pid && a.start === b.start;
}

/** The keys of all that an agent draws on; of one that is not configured nothing is known. */
export function drawsOf({ settings }: EngineContext, agent: string | null): string[] {
  const draws = agent === null ? undefined : settings.draws.get(agent);
  return draws === undefined ? [] : drawsOn(draws);
}

export function capsFor({ settings }: EngineContext, agent: string | null): Caps {
  return {
    global: settings.jobs,
    agent: agent === null ? null : (settings.agentJobs[agent] ?? null),
    hourly: settings.hourly,
  };
}
