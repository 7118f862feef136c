/** What one transaction reads and writes, row by row. Both adapters decide and apply commands over this, and nothing else. */

import type { StartedLately } from "../../core/schedule/started-lately.ts";
import type { Verdict } from "../../core/task/commands/landings.ts";
import type { Movement, Tally } from "../../core/task/counters.ts";
import type { Event, Fact } from "../../core/task/events.ts";
import type { DependencyState } from "../../core/task/loaded.ts";
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
} from "../../core/task/rows.ts";
import type { Answer, LoadCounts } from "../../ports/store.ts";

/** What every event of one transaction has in common. */
export interface Stamp {
  at: number;
  project: string;
  actor: string;
}

export interface PlanTables {
  plan(id: string): PlanRow | null;
  planNamed(project: string, name: string): PlanRow | null;
  insertPlan(row: PlanRow): void;
  /** Writes what differs; `before` must still be the row of the store (so for every `update`). */
  updatePlan(before: PlanRow, after: PlanRow): void;
  /** Every tally of the plan, zeros too. */
  tallies(plan: string): Record<Tally, number>;
  addTallies(plan: string, by: Movement["tallies"]): void;
  /** The last token that was given, by whichever plan. */
  lastToken(): number;
  setLastToken(token: number): void;
}

export interface NewTask {
  row: TaskRow;
  definition: DefinitionRow;
  edges: readonly string[];
}

export interface TaskTables {
  task(plan: string, id: string): TaskRow | null;
  definition(plan: string, id: string): DefinitionRow | null;
  /** All of one plan. What they depend on is there already or among them, in any order. */
  insertTasks(tasks: Iterable<NewTask>): void;
  updateTask(before: TaskRow, after: TaskRow): void;
  updateDefinition(plan: string, id: string, before: DefinitionRow, after: DefinitionRow): void;
  /** Ids of the plan's tasks that came from its file and are not retired, in natural order. */
  tasksOfFile(plan: string): string[];
  /** The task that has this slug, or one that differs from it in case only. */
  slugOwner(plan: string, slug: string): string | null;
}

export interface DependencyTables {
  /** What the task depends on. */
  edges(plan: string, task: string): string[];
  /** Replaces what the task depends on. */
  rewire(plan: string, task: string, edges: readonly string[]): void;
  /** A task as those who depend on it see it. */
  dependency(plan: string, id: string): DependencyState | null;
  /** Dependants that are under way or verified. */
  relied(plan: string, id: string, limit: number): string[];
  /** Moves the counters of everything that depends on the task. */
  moveDependants(plan: string, id: string, by: Movement["dependants"]): void;
  /** Counts `unmet` and `dead` anew for the tasks that this revision inserted or changed. */
  recount(plan: string, revision: number): void;
}

/** An attempt with its lease, while it has one. */
export interface HeldAttempt {
  attempt: AttemptRow;
  lease: LeaseRow | null;
}

export interface AttemptTables {
  attempt(plan: string, task: string, n: number): HeldAttempt | null;
  insertAttempt(held: HeldAttempt): void;
  updateAttempt(before: HeldAttempt, after: HeldAttempt): void;
  insertCheck(attempt: AttemptKey, at: number, result: CheckResult): void;
  insertVerdict(attempt: AttemptKey, at: number, verdict: { verdict: Verdict; by: string | null }): void;
}

export interface AttemptKey {
  plan: string;
  task: string;
  attempt: number;
}

export interface ProjectTables {
  landing(project: string, target: string): LandingRow | null;
  insertLanding(row: LandingRow): void;
  updateLanding(before: LandingRow, after: LandingRow): void;
  deleteLanding(row: LandingRow): void;
  liveRun(plan: string): RunRow | null;
  insertRun(row: RunRow): void;
  updateRun(before: RunRow, after: RunRow): void;
  item(plan: string, id: string): ItemRow | null;
  openItemsOf(plan: string, task: string): ItemRow[];
  insertItem(row: ItemRow): void;
  updateItem(before: ItemRow, after: ItemRow): void;
  holds(project: string): HoldRow[];
  putHold(row: HoldRow): void;
  deleteHold(row: HoldRow): void;
}

export interface GateTables {
  /**
   * Tasks under way in the project that a gate can close for: those that own files, work in place, or have a live
   * attempt of a run. Others cost nothing, however many they are.
   */
  underway(project: string): UnderwayTask[];
  /** Attempts of runs that began in the project after this time. */
  startedSince(project: string, since: number): StartedLately;
}

export type StoredAnswer = { kind: "submit"; answer: Answer } | { kind: "load"; counts: LoadCounts };

export interface LogTables {
  /** Numbers the facts, all of one plan or of none, and appends them. */
  append(facts: readonly Fact[], stamp: Stamp): Event[];
  /** Appends `task.added` for every task that this revision inserted. */
  appendAdded(plan: string, revision: number, stamp: Stamp): void;
  answer(command: string): StoredAnswer | null;
  putAnswer(command: string, answer: StoredAnswer): void;
}

export type Tables = PlanTables &
  TaskTables &
  DependencyTables &
  AttemptTables &
  ProjectTables &
  GateTables &
  LogTables;
