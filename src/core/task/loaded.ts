/** The rows that one command reads, as values. A handler never sees more of the plan than this. */

import { NONE_STARTED, type StartedLately } from "../schedule/started-lately.ts";
import type { Verdict } from "./commands/landings.ts";
import type { TaskState } from "./moves.ts";
import type {
  AttemptRow,
  CheckResult,
  DefinitionRow,
  HoldRow,
  ItemRow,
  LandingRow,
  LeaseRow,
  PlanRow,
  RunRow,
  TaskRow,
  UnderwayTask,
} from "./rows.ts";

export interface DependencyState {
  id: string;
  state: TaskState;
  satisfied: boolean;
}

export interface Loaded {
  plan: PlanRow | null;
  task: TaskRow | null;
  definition: DefinitionRow | null;
  /** The task's last attempt. */
  attempt: AttemptRow | null;
  /** That attempt's lease, while it has one. */
  lease: LeaseRow | null;
  /** The landing under way on the target that the command names. */
  landing: LandingRow | null;
  /** The plan's live run. */
  run: RunRow | null;
  /** The task's open items, or the one that the command names. */
  items: ItemRow[];
  holds: HoldRow[];
  underway: UnderwayTask[];
  /** Attempts of runs begun within the last hour in this project. */
  started_last_hour: StartedLately;
  /** Dependants of the task that are under way or verified. */
  relied: string[];
  /** The tasks that an added task names as its dependencies. */
  dependencies: DependencyState[];
  /** The plan's tasks by state, for the event that ends a run. */
  counts: Record<TaskState, number> | null;
  /** The last token that was given; the next is one more. */
  token: number;
  /** Rows that are only ever appended. */
  checks: CheckResult[];
  /** Dependencies of a task that the command adds. */
  edges: string[];
  verdicts: { verdict: Verdict; by: string | null }[];
}

export const NOTHING_LOADED: Loaded = {
  plan: null,
  task: null,
  definition: null,
  attempt: null,
  lease: null,
  landing: null,
  run: null,
  items: [],
  holds: [],
  underway: [],
  started_last_hour: NONE_STARTED,
  relied: [],
  dependencies: [],
  counts: null,
  token: 0,
  checks: [],
  edges: [],
  verdicts: [],
};
