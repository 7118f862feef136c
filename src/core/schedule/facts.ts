/** What the gates look at: everything outside the one task they judge. */

import type { TaskDefinition } from "../plan/definition.ts";
import type { Caps } from "../task/commands/tasks.ts";
import { NO_CAPS } from "../task/commands/tasks.ts";
import type { DependencyState } from "../task/loaded.ts";
import type { AttemptKind, HoldRow, RunRow, TaskRow, UnderwayTask } from "../task/rows.ts";
import { NONE_STARTED, type StartedLately } from "./started-lately.ts";

export interface Space {
  free_bytes: number;
  /** Absolute path of a place on the file system that is meant, where there are several. */
  at?: string;
  floor_bytes: number;
}

export interface Facts {
  engine_stopping: boolean;
  /** The plan's live run. */
  run: RunRow | null;
  caps: Caps;
  /** Attempts of runs begun within the last hour. */
  started_last_hour: StartedLately;
  /** Tasks under way in the project. */
  underway: UnderwayTask[];
  holds: HoldRow[];
  /** What each agent draws on beside itself, as the keys of holds. */
  draws: ReadonlyMap<string, readonly string[]>;
  disk: Space | null;
  memory: Space | null;
  /** Why the workspace cannot be used now, or null. */
  workspace: string | null;
  /** Scopes that wait for a person's approval. */
  scopes_unapproved: readonly string[];
}

export const CALM: Facts = {
  engine_stopping: false,
  run: null,
  caps: NO_CAPS,
  started_last_hour: NONE_STARTED,
  underway: [],
  holds: [],
  draws: new Map(),
  disk: null,
  memory: null,
  workspace: null,
  scopes_unapproved: [],
};

/** One pending task that might start, and on whose behalf. */
export interface Candidate {
  row: TaskRow;
  definition: TaskDefinition;
  kind: AttemptKind;
  /** The agent that it would be given to. */
  agent: string | null;
  /** The unmet dependencies, where they were read; only `explain` needs their names. */
  dependencies?: DependencyState[];
}
