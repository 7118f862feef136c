/** The rows of the store that the machine reads and writes. Times are milliseconds since 1970 on the wall clock. */

import type { AgentReport } from "../attempt/agent-report.ts";
import type { FailureKind } from "../attempt/failure.ts";
import type { PlanPolicy, TaskDefinition, WorkspaceMode } from "../plan/definition.ts";
import type { TaskState } from "./moves.ts";
import type { Publication } from "./publication.ts";

/** A process that may act: it is never known by its pid alone. */
export interface Holder {
  node: string;
  boot: string;
  pid: number;
  start: string;
}

export type Origin = "file" | "operator" | "planner" | "import";

export interface PlanRow {
  project: string;
  /** A uuid; the name may be reused after a plan is gone. */
  id: string;
  name: string;
  revision: number;
  source_hash: string;
  policy: PlanPolicy;
  /** Numbers the inbox items of this plan. */
  items: number;
  version: number;
}

export interface TaskRow {
  plan: string;
  id: string;
  slug: string;
  natural_key: string;
  title: string;
  origin: Origin;
  /** The plan's revision that last had this task. */
  revision: number;
  state: TaskState;
  /** Index in the lane of the phase that is due or under way. */
  phase: number;
  round: number;
  /** Counted failures inside this round. */
  tries: number;
  /** Attempts so far; the last attempt's number. Never reset. */
  attempts: number;
  conflicts: number;
  lost: number;
  rate_limited: number;
  handoffs: number;
  questions: number;
  /** Landings one after the other that ended by what the machine refused. */
  environment: number;
  /** Dependencies that are neither verified nor skipped as satisfied. */
  unmet: number;
  /** Of those, the ones that have ended for good. */
  dead: number;
  priority: number;
  wave: number;
  path: number;
  /** Not to be started before. */
  due_at: number | null;
  /** Why it waits, is blocked or ended: the cause of its last move. */
  reason: string | null;
  /** What went wrong last; the next brief carries it. */
  last_error: string | null;
  /** Counts as verified for its dependants: verified, or skipped so. */
  satisfied: boolean;
  /** Verified by an operator's word, for ever marked so. */
  unverified: boolean;
  /** No longer in the plan's file. */
  retired: boolean;
  /** The task has work that its target does not have yet. */
  unlanded: boolean;
  /** Its last agent was killed at work: what is in its workspace may be half done. */
  dirty: boolean;
  /** What a person let pass of the work as it is; null: nothing was asked. */
  rulings: Rulings | null;
  /** Its work as it was last offered outside; null: never. */
  publication: Publication | null;
  /** The review at `phase` said yes to the work as it is. */
  approved: boolean;
  /** The work's commit, once the engine has made one of it. */
  work_commit: string | null;
  /** Who did the work last; nobody reviews their own. */
  worker: string | null;
  mode: WorkspaceMode;
  /** Has `files_owned`: two that may overlap are never under way at once. */
  owns: boolean;
  target: string;
  started_at: number | null;
  finished_at: number | null;
  landed_target: string | null;
  landed_sha: string | null;
  landed_tree: string | null;
  version: number;
}

/** What only a person may let pass. */
export type RuledCause = "protected_files" | "weakened_checks" | "green_before";

/** `keep_mine`: the files land as they are on the target. */
export type RulingWord = "allow" | "keep_mine";

export type Rulings = Partial<Record<RuledCause, RulingWord>>;

/** The task's definition stands beside its row, because it is large and seldom changes. */
export interface DefinitionRow {
  body: TaskDefinition;
  /** A changed definition that waits until a live task is pending again. */
  next: TaskDefinition | null;
}

export type AttemptKind = "external" | "run";
export type AttemptState = "created" | "starting" | "running" | "settled";
export const OUTCOMES = [
  "succeeded",
  "failed",
  "blocked",
  "interrupted",
  "timed_out",
  "stalled",
  "rate_limited",
  "lost",
  "cancelled",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What an operator or a plan revision wants of a live attempt; `then` is applied once it has been settled. */
export interface Stop {
  as: Outcome;
  why: string;
  then: "pending" | "skipped" | "cancelled" | "verified" | null;
  /** For a skip: counts as verified for dependants. */
  satisfies?: boolean;
  /** Killed without being asked to end first. */
  at_once?: boolean;
  /** With `then: "pending"`: its work is not gone on with. */
  discards?: boolean;
}

/** Tokens, in buckets that do not overlap. Null where the agent does not tell; what came from a cache is then in the input. */
export interface Usage {
  input: number;
  output: number;
  cache_read: number | null;
  cache_write: number | null;
}

export interface AttemptRow {
  plan: string;
  task: string;
  n: number;
  phase: string;
  round: number;
  kind: AttemptKind;
  agent: string | null;
  run: string | null;
  state: AttemptState;
  outcome: Outcome | null;
  token: number;
  /** The process that holds the agent, once there is one. */
  process: Holder | null;
  stop: Stop | null;
  /** How long its agent may work, with what an operator gave it more, milliseconds. */
  timeout_ms: number;
  /** How often an operator interrupted it with a message. */
  interrupts: number;
  /** The commit that the work started from, and its tree. */
  base: string | null;
  base_tree: string | null;
  error: string | null;
  summary: string | null;
  /** What its agent reported of its work beside the summary; null: it made no report. */
  report: AgentReport | null;
  /** The agent's last word on how far it is. */
  progress: string | null;
  /** The agent's own name of its conversation, by which it can be resumed. */
  session: string | null;
  /** What its last candidate changed though the task does not own it; null: nothing. */
  outside: Outside | null;
  /** What its work will conflict with as things stand; null: nothing that is known. */
  foreseen: ForeseenConflict[] | null;
  usage: Usage | null;
  cost_usd: number | null;
  /** The kind of failure that it ended by; null: it did not fail, or nobody knows of what kind. */
  failure: FailureKind | null;
  /** It ended before it could tell all that it used: `usage` is what was heard last. */
  partial: boolean;
  /** The model that it said it works with; null: none that it told. */
  model: string | null;
  started_at: number;
  ended_at: number | null;
  version: number;
}

/** Changed files that no glob of a task's `files_owned` names. */
export interface Outside {
  /** Below the top of the repository, or of the plain directory; at most 50. */
  paths: string[];
  /** All of them. */
  total: number;
}

/** Work that cannot be merged with the other as both stand now. */
export interface ForeseenConflict {
  /** The task of the same plan whose work it is, which started first; null: the target, as it stands. */
  with: string | null;
  /** Below the top of the repository; at most 20. */
  files: string[];
  /** All of them. */
  total: number;
}

/** What came up in the user's own checkout while an attempt was at work there where it should not be, or a person was. */
export interface CheckoutChange {
  /** Below the top of the repository; at most 50. */
  paths: string[];
  /** All of them. */
  total: number;
  /** Ref of a commit that keeps them as they were found; null: nothing could be kept. */
  saved: string | null;
  /** Why the checkout could not be looked at, and then nothing of it is known; null when it was. */
  unseen: string | null;
  /** Other attempts that were at work meanwhile, as `TASK#N`; at most 20. */
  beside: string[];
}

/** What was put right in the repository that all attempts share. */
export interface RepositoryMending {
  /** One sentence each: what it was, and where it is now; at most 50. */
  mended: string[];
  /** All of them. */
  total: number;
  /** As of `CheckoutChange`. */
  beside: string[];
}

/** The right to act. Keyed by attempt (`attempt:<plan>/<task>#<n>`). The token only grows. */
export interface LeaseRow {
  key: string;
  holder: Holder;
  token: number;
  expires_at: number;
}

export type CheckKind = "verify" | "guard";
export type CheckOutcome = "green" | "red" | "timed_out" | "error";

/** One check as it ran. `log` names a blob. */
export interface CheckResult {
  command: string;
  kind: CheckKind;
  outcome: CheckOutcome;
  exit_code: number;
  tree: string | null;
  log: string;
  tail: string;
  ms: number;
}

/** A check that is about to run or runs: whoever takes the landing over ends it by this identity. */
export interface CheckUnderWay {
  command: string;
  process: Holder;
}

/** The right to check and land on one target, with all that is needed to take it over. */
export interface LandingRow {
  project: string;
  target: string;
  plan: string;
  task: string;
  attempt: number;
  holder: Holder;
  token: number;
  tip: string | null;
  candidate: string | null;
  tree: string | null;
  check: CheckUnderWay | null;
  /** Commands that were green on `tree`, by kind: `verify npm test`. */
  passed: string[];
  begun_at: number;
  version: number;
}

export type RunState = "running" | "pausing" | "paused" | "stopping" | "ended";
export type RunOutcome = "stopped" | "needs_person" | "parked" | "failed" | "done";

export interface RunRow {
  project: string;
  plan: string;
  id: string;
  state: RunState;
  outcome: RunOutcome | null;
  jobs: number;
  /** At most so many attempts are started; null is no limit. */
  tasks_max: number | null;
  started: number;
  budget_usd: number | null;
  spent_usd: number;
  started_by: string;
  /** Why it stops or was paused: an operator's word, a signal, the limit on tasks. */
  reason: string | null;
  /** Paused by a panic: what is live, checks too, is killed. */
  panic: boolean;
  started_at: number;
  ended_at: number | null;
  version: number;
}

/** `pull_request`: it closes by itself. */
export type ItemKind = "question" | "approval" | "escalation" | "setback" | "checks" | "pull_request";
export type ItemEffect = "pending" | "claimed_done" | "skipped" | "failed";

export interface ItemOption {
  name: string;
  effect: ItemEffect;
  /** Said of the work as it is, and gone when an attempt works on. */
  rulings?: Rulings;
}

/** How long an agent at work waits for the answer, and what comes then without one: its attempt ends, or it is a no. */
export interface ItemWait {
  until: number;
  then: "ends" | "refused";
}

/** One thing that a person is asked. */
export interface ItemRow {
  project: string;
  plan: string;
  id: string;
  task: string | null;
  /** Items of a plan with the same are one question, and one answer is for all: the guard that is red; null: it stands alone. */
  shared: string | null;
  kind: ItemKind;
  text: string;
  options: ItemOption[];
  /** The option that is taken at the deadline; null waits for a person for ever. */
  default_option: string | null;
  deadline_at: number | null;
  /** Null: no agent waits for the answer. */
  wait: ItemWait | null;
  state: "open" | "answered" | "expired";
  answer: string | null;
  opened_at: number;
  closed_at: number | null;
  version: number;
}

export type HookName = "task_settled" | "run_ended";

/** How an operator's hook ended that did not end well. */
export interface HookFailure {
  hook: HookName;
  /** Number of the event that it was told of. */
  of: number;
  /** `error`: it could not be started. */
  outcome: "red" | "timed_out" | "error";
  exit_code: number;
  /** The end of what it printed, at most 4,000 characters. */
  tail: string;
}

/** What an engine could not carry on with. The named task's own row may be what cannot be read. */
export interface EngineFailure {
  /** Null where it is of no one task. */
  about: string | null;
  error: string;
  /** When it is tried again, milliseconds since 1970; null: only once a person has mended it. */
  retry_at: number | null;
}

/** What no hook was told of. */
export interface HookSkipped {
  /** Number of the first such event. */
  first: number;
  total: number;
}

/**
 * How it is known when a limit is over: the service said so, its words were read (a guess), nobody knows (a guess), or it
 * is not over before a person has done something about it.
 */
export const LIMIT_SOURCES = ["signal", "text", "backoff", "person"] as const;
export type LimitSource = (typeof LIMIT_SOURCES)[number];

/** A limit that turned an attempt away. */
export interface Limit {
  /** Of the hold that it makes. */
  key: string;
  /** When it is over, milliseconds since 1970; null: not known. */
  until: number | null;
  known_from: LimitSource;
}

/** Nothing that needs `key` (`agent:NAME`, `account:NAME`, `model:ACCOUNT/NAME`, `provider:NAME`) starts before `until`. */
export interface HoldRow {
  /** Empty: it holds in every project of the store. */
  project: string;
  key: string;
  /** Null: for ever, or until somebody clears it. */
  until: number | null;
  why: string;
  /** Of a limit; `trial`: its engine tries the agent's program, and lifts the hold afterwards; null: an operator's word. */
  known_from: LimitSource | "trial" | null;
  /** Limits one after the other of which none let an attempt through, this one included. */
  count: number;
  /** It holds nothing any more, and is kept for its `count`. */
  over: boolean;
}

/** What the gates must know of another task that is under way. */
export interface UnderwayTask {
  plan: string;
  id: string;
  state: TaskState;
  mode: WorkspaceMode;
  target: string;
  kind: AttemptKind | null;
  agent: string | null;
  files_owned: string[];
}
