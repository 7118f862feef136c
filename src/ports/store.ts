/** The database of one user or one team: many projects, many plans. */

import type { Rejection } from "../core/errors.ts";
import type { PlanProblem, TaskDefinition } from "../core/plan/definition.ts";
import type { QueuedTask } from "../core/schedule/landing-queue.ts";
import type { StartedLately } from "../core/schedule/started-lately.ts";
import type { Envelope, PlanLoad, RowCommand } from "../core/task/commands.ts";
import type { Tally } from "../core/task/counters.ts";
import type { Event } from "../core/task/events.ts";
import type { DependencyState } from "../core/task/loaded.ts";
import type { TaskState } from "../core/task/moves.ts";
import type {
  AttemptRow,
  CheckOutcome,
  CheckResult,
  Holder,
  HoldRow,
  ItemRow,
  LandingRow,
  LeaseRow,
  PlanRow,
  RunRow,
  TaskRow,
  UnderwayTask,
  Usage,
} from "../core/task/rows.ts";

/** What a command came to. Events of a refused command are notes of the refusal. */
export type Answer = { ok: true; events: Event[] } | { ok: false; rejection: Rejection; events: Event[] };

export interface LoadCounts {
  plan: string;
  id: string;
  /** Counts only loads that changed something. */
  revision: number;
  inserted: number;
  updated: number;
  retired: number;
  restored: number;
  /** Tasks that count: not retired. */
  total: number;
  /** What of the plan as a whole is another now (`workspace`, `land.target`); absent: nothing. */
  policy_changed?: string[];
}

export type LoadAnswer = { ok: true; counts: LoadCounts } | { ok: false; problems: PlanProblem[] };

export interface PlanSummary {
  plan: PlanRow;
  tallies: Record<Tally, number>;
  run: RunRow | null;
  /** Items that are one question count once. */
  open_items: number;
}

/** One task with all that belongs to it. */
export interface TaskRecord {
  row: TaskRow;
  definition: TaskDefinition;
  attempt: AttemptRow | null;
  lease: LeaseRow | null;
}

export interface ReadyTask {
  row: TaskRow;
  definition: TaskDefinition;
}

/** What the gates look at beside the task itself. */
export interface GateRows {
  run: RunRow | null;
  holds: HoldRow[];
  underway: UnderwayTask[];
  started_last_hour: StartedLately;
}

/** The lease of a worker outside lockstep that is over. */
export interface RunOutLease {
  task: string;
  token: number;
}

/** Who runs the engine of a project on one node, and the plan whose run it carries; null: it does something else. */
export interface EngineRow extends Holder {
  plan: string | null;
}

export interface GraphTask {
  id: string;
  title: string;
  state: TaskState;
  depends_on: string[];
}

export interface RecordedCheck extends CheckResult {
  attempt: number;
  at: number;
}

export const SPENDING_BY = ["task", "agent", "model", "day"] as const;
export type SpendingBy = (typeof SPENDING_BY)[number];

/** What attempts of one agent and one model used together. */
export interface Spending {
  /** The task, the agent, the model, or the day on which they began (`2026-03-01`, UTC); null: not known. */
  key: string | null;
  agent: string | null;
  /** As the agent named it. */
  model: string | null;
  attempts: number;
  /** Attempts that did not tell what they used. */
  untold: number;
  /** Attempts that ended before they could tell all of it. */
  partial: number;
  /** Of those that told it. */
  usage: Usage;
  /** Attempts whose agent told what they cost, and how much that is together. */
  costed: number;
  cost_usd: number;
  /** What those used that told it, but no cost. */
  uncosted: Usage;
}

export interface EventQuery {
  /** Events after this number; 0 is from the beginning. */
  after: number;
  project?: string;
  plan?: string;
  task?: string;
  limit: number;
}

export interface TaskQuery {
  state?: TaskState;
  /** Skips so many, in index order. */
  offset: number;
  limit: number;
}

/** The most rows that one page of any list holds. */
export const PAGE = 200;

export interface Store {
  /** Decides and applies one command in one transaction, durably. Waits for other writers within a bound. */
  submit(command: RowCommand, envelope: Envelope): Promise<Answer>;
  /**
   * Decides and applies commands in their order in one transaction, each on what the one before it left: all of them or
   * none. Of a refusal nothing is kept, not even its note: whoever wants that submits the refused command by itself.
   */
  submitAll(commands: readonly RowCommand[], envelope: Pick<Envelope, "actor">): Promise<Answer>;
  /** Loads a plan in one transaction: all of it or nothing. The same `source_hash` changes nothing. */
  load(command: PlanLoad, envelope: Envelope): Promise<LoadAnswer>;

  plans(project: string): Promise<PlanRow[]>;
  plan(id: string): Promise<PlanRow | null>;
  planNamed(project: string, name: string): Promise<PlanRow | null>;
  summary(plan: string): Promise<PlanSummary | null>;
  /** The plan's run that was started last, live or ended; null when it never had one. */
  lastRun(plan: string): Promise<RunRow | null>;
  /** Every live run, of whatever project. */
  liveRuns(): Promise<RunRow[]>;
  task(plan: string, id: string): Promise<TaskRecord | null>;
  /** Ids that begin with `prefix`, in natural order. */
  taskIds(plan: string, prefix: string, limit: number): Promise<string[]>;
  tasks(plan: string, query: TaskQuery): Promise<TaskRow[]>;
  /** Every task of the plan that is not retired, page by page. */
  graph(plan: string): AsyncIterable<GraphTask>;
  dependencies(plan: string, task: string): Promise<DependencyState[]>;
  attempts(plan: string, task: string): Promise<AttemptRow[]>;
  checks(plan: string, task: string): Promise<RecordedCheck[]>;
  /** What the plan's settled attempts by agents of lockstep used, by task, agent, model or day, and further by agent and model. */
  spending(plan: string, by: SpendingBy): Promise<Spending[]>;
  /** How a guard last ended on this tree, or null when it never ran on it. */
  guardOutcome(plan: string, tree: string, command: string): Promise<CheckOutcome | null>;
  /** Whether a guard was both green and red on one tree. */
  isFlaky(plan: string, command: string): Promise<boolean>;
  /** In progress and claimed done, oldest first. */
  active(plan: string, limit: number): Promise<TaskRecord[]>;

  /**
   * Pending tasks whose dependencies are satisfied and whose time has come, in index order (priority, wave, longest path
   * to the end first, natural id). Tasks whose external lease has run out stand among them.
   */
  ready(plan: string, limit: number): Promise<ReadyTask[]>;
  gateRows(project: string, plan: string): Promise<GateRows>;
  /** Tasks that workers outside lockstep have held for longer than their leases, with the tokens of these. */
  runOut(plan: string, limit: number): Promise<RunOutLease[]>;
  /**
   * Claimed done: what waits for its checks and its landing now, in the order of the landing queue (priority, then who
   * handed its work over first). What was put off waits for its time.
   */
  unlanded(plan: string, limit: number): Promise<TaskRecord[]>;
  /** The landing queue of one target, over all plans of the project. What is being landed stands in it. */
  landingQueue(project: string, target: string, limit: number): Promise<QueuedTask[]>;
  landing(project: string, target: string): Promise<LandingRow | null>;
  /** Every landing under way, on whatever target of the project. */
  landings(project: string): Promise<LandingRow[]>;
  /** Pending tasks that asked to be skipped because a task that they depend on ended. */
  cascading(plan: string, limit: number): Promise<string[]>;
  /**
   * The nearest time ahead at which something of this plan is due by itself (due_at, deadline, expiry), or null. What is
   * due already is not told: whoever means to wait asks this first, and then looks at what is ready, and what holds it.
   */
  nextDue(plan: string): Promise<number | null>;
  /** Holds of the project and of every project, by their keys; those that are over, too. */
  holds(project: string): Promise<HoldRow[]>;
  /** Open items, oldest first. */
  openItems(project: string, plan: string | null, limit: number): Promise<ItemRow[]>;
  events(query: EventQuery): Promise<Event[]>;

  /** A checked configuration by the hash of its file, so that hot commands need no schema. */
  cachedConfig(project: string, hash: string): Promise<unknown>;
  cacheConfig(project: string, hash: string, config: unknown): Promise<void>;
  /** Who runs the engine of a project on each node: a row, because an exclusive lock cannot be read by others. */
  setEngine(project: string, engine: EngineRow, running: boolean): Promise<void>;
  engines(project: string): Promise<EngineRow[]>;

  /** Calls `wake` after every commit by anyone, this process or another; late by at most a second. Returns the way to stop. */
  watch(wake: () => void): () => void;
  /** Compares every maintained counter with an exact query; each difference is one sentence. */
  verify(): Promise<string[]>;
  /** Rows of a plan that lists have left out since this store was opened, because they cannot be read. */
  unreadable(plan: string): Promise<UnreadableRow[]>;
  close(): Promise<void>;
}

/** A row that something outside lockstep has broken: a column is no JSON, or says what none can say. */
export interface UnreadableRow {
  /** The task that it is of; null where it is of none. */
  task: string | null;
  message: string;
}

export type StoreFailureCode =
  | "read_only"
  | "full"
  | "newer"
  | "corrupt"
  | "unreadable"
  | "busy"
  | "no_driver"
  | "not_a_store"
  | "io";

/** The store cannot be used: the machine's doing, not the command's. Nothing was changed. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
  readonly code: StoreFailureCode;
  readonly hint: string;

  constructor(code: StoreFailureCode, message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.hint = hint;
  }
}

/** One row of the store cannot be read, and its message says which; every other row can. Nothing was changed. */
export class RowUnreadable extends StoreUnavailable {
  override name = "RowUnreadable";
  readonly plan: string | null;
  readonly task: string | null;

  constructor(message: string, of: { plan: string | null; task: string | null }, options?: ErrorOptions) {
    super("unreadable", message, UNREADABLE_HINT, options);
    this.plan = of.plan;
    this.task = of.task;
  }
}

const UNREADABLE_HINT =
  "Mend that column of the store, or bring the store back from a backup; all else goes on meanwhile.";
