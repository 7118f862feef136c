/** Wishes. Whoever asks, every change of state is one of these, given to `handle`. */

import type { VerdictWord } from "../lane/verdict.ts";
import type { CompiledPlan, CompiledTask, TaskDefinition } from "../plan/definition.ts";
import type {
  AttemptKind,
  CheckoutChange,
  CheckResult,
  CheckUnderWay,
  EngineFailure,
  Holder,
  HookFailure,
  HookSkipped,
  ItemKind,
  ItemOption,
  Outcome,
  Outside,
  RepositoryMending,
  RunOutcome,
  Usage,
} from "./rows.ts";

/** What every command carries beside its wish. */
export interface Envelope {
  /** A repeated id returns the first answer and changes nothing. */
  command_id?: string;
  /** Who asks: `cli:anna@host`, `engine`, `worker:NAME`. Events keep it. */
  actor: string;
}

/** Limits that come from configuration, which the store does not know. */
export interface Caps {
  /** Attempts of runs at once in this project; null is no limit. */
  global: number | null;
  /** Attempts at once of the agent that is asked for; null is no limit. */
  agent: number | null;
  /** Attempts of runs begun within an hour; null is no limit. */
  hourly: number | null;
}

export const NO_CAPS: Caps = { global: null, agent: null, hourly: null };

/** What work starts from: a commit and its tree; only the tree in a plain directory; nothing in mode `none`. */
export interface Base {
  commit: string | null;
  tree: string | null;
}

interface OfTask {
  plan: string;
  task: string;
}

export interface TaskClaim extends OfTask {
  type: "task.claim";
  kind: AttemptKind;
  /** The configured agent, or the name that an external worker gave. */
  agent: string | null;
  holder: Holder;
  expires_at: number;
  /** The run on whose behalf it is claimed; null for an external worker. */
  run: string | null;
  base: Base;
  caps: Caps;
}

export interface TaskRenew extends OfTask {
  type: "task.renew";
  token: number;
  expires_at: number;
}

export interface TaskDone extends OfTask {
  type: "task.done";
  token: number;
  summary: string | null;
  verdict: Verdict | null;
}

export interface TaskFail extends OfTask {
  type: "task.fail";
  token: number;
  error: string;
  /** The workspace holds work that the target does not have. */
  unlanded: boolean;
}

export interface TaskRetry extends OfTask {
  type: "task.retry";
  /** Start on a fresh workspace; what is there has been saved. */
  fresh: boolean;
}

export interface TaskSkip extends OfTask {
  type: "task.skip";
  satisfies: boolean;
  without_work: boolean;
  why: string;
}

export interface TaskCancel extends OfTask {
  type: "task.cancel";
  why: string;
}

export interface TaskAdd {
  type: "task.add";
  plan: string;
  added: CompiledTask;
  origin: "operator" | "planner" | "import";
}

export interface TaskEdit extends OfTask {
  type: "task.edit";
  patch: Partial<Omit<TaskDefinition, "depends_on" | "lane">>;
}

/** `task done --unverified`: an operator's word instead of checks, for ever marked so. */
export interface TaskOverride extends OfTask {
  type: "task.override";
  why: string;
}

/** The batches of a failure that is passed on to dependants; see `on_dependency_failed: cascade`. */
export interface TaskCascade extends OfTask {
  type: "task.cascade";
}

export interface AttemptStart extends OfTask {
  type: "attempt.start";
  token: number;
  state: "starting" | "running";
  process: Holder | null;
  /** What the work starts from, where the claim could not know it yet. */
  base?: Base;
}

/** A live attempt whose engine died goes on under another one. It keeps its token, which its runner's spool carries. */
export interface AttemptAdopt extends OfTask {
  type: "attempt.adopt";
  token: number;
  holder: Holder;
  expires_at: number;
}

/** What the agent of a live attempt said of itself; what is not given stays as it was. */
export interface AttemptReport extends OfTask {
  type: "attempt.report";
  token: number;
  progress?: string;
  session?: string;
}

export interface AttemptStop extends OfTask {
  type: "attempt.stop";
  as: Outcome;
  why: string;
  then: "pending" | "skipped" | "cancelled" | "verified" | null;
  /** Killed without being asked to end first. */
  at_once?: boolean;
}

/** More time for a live attempt's agent. */
export interface AttemptExtend extends OfTask {
  type: "attempt.extend";
  ms: number;
}

/** Ends the turn of a live attempt's agent, which goes on with this message. */
export interface AttemptInterrupt extends OfTask {
  type: "attempt.interrupt";
  message: string;
}

export interface AttemptSettle extends OfTask {
  type: "attempt.settle";
  token: number;
  outcome: Outcome;
  error: string | null;
  summary: string | null;
  usage: Usage | null;
  cost_usd: number | null;
  unlanded: boolean;
  /** Its agent was ended by force, or by nobody knows whom: what it was at is half done. */
  killed: boolean;
  verdict: Verdict | null;
  /** When a limit resets; the task is not due before. */
  due_at: number | null;
  /** What came up in the user's checkout meanwhile; absent: nothing. */
  checkout?: CheckoutChange;
  /** What was put right in the repository; absent: nothing. */
  repository?: RepositoryMending;
}

/** A reviewer's typed answer about the work of `commit` (null where there is no git). */
export interface Verdict {
  word: VerdictWord;
  comments: string;
  commit: string | null;
}

export interface CheckRecord extends OfTask {
  type: "check.record";
  target: string;
  token: number;
  result: CheckResult;
  /** Whose doing a red result is; ignored for a green one. */
  blame: Blame;
  /** The check that is held and runs next. */
  next: CheckUnderWay | null;
}

/** A guard as it stood before the work began, so that a red one can be laid at the right door. */
export interface CheckBaseline extends OfTask {
  type: "check.baseline";
  result: CheckResult;
}

export type Blame = "task" | "base" | "together" | "environment";

export interface LandingBegin extends OfTask {
  type: "landing.begin";
  /** Whose work it is: whoever lands may have looked at the task a while ago. */
  attempt: number;
  target: string;
  holder: Holder;
  tip: string | null;
  candidate: string | null;
  tree: string | null;
  check: CheckUnderWay | null;
  /** The landing that this one replaces: its holder is known to be dead, or is the caller itself. */
  over: number | null;
  /** What the candidate changes though the task does not own it; absent: nothing. */
  outside?: Outside;
}

/** A landing whose holder died after the target moved: its record is taken on as it stands, with what was green. */
export interface LandingAdopt extends OfTask {
  type: "landing.adopt";
  target: string;
  holder: Holder;
  over: number;
}

export interface LandingMove extends OfTask {
  type: "landing.move";
  target: string;
  token: number;
  /** The target stands at the candidate. False: nothing was moved, since a review is due first. */
  moved: boolean;
  sha: string | null;
  /** Green checks that have not been recorded on their own. */
  checks: CheckResult[];
}

export interface LandingFail extends OfTask {
  type: "landing.fail";
  target: string;
  token: number;
  cause:
    | "conflict"
    | "scope_broken"
    | "protected_files"
    | "environment"
    | "publish_refused"
    | "workspace_broken"
    | "no_changes";
  text: string;
}

export interface VerdictGive extends OfTask, Verdict {
  type: "verdict.give";
  by: string;
  holder: Holder;
}

export interface ItemOpen {
  type: "item.open";
  plan: string;
  task: string | null;
  kind: ItemKind;
  text: string;
  options: ItemOption[];
  default_option: string | null;
  deadline_at: number | null;
}

export interface ItemAnswer {
  type: "item.answer";
  plan: string;
  item: string;
  option: string;
  text: string | null;
}

export interface ItemExpire {
  type: "item.expire";
  plan: string;
  item: string;
}

export interface RunStart {
  type: "run.start";
  plan: string;
  id: string;
  jobs: number;
  tasks_max: number | null;
  budget_usd: number | null;
}

export interface RunPause {
  type: "run.pause";
  plan: string;
  /** Why everything has to be killed at once: the run does not wait for what is live. Absent: a pause with grace. */
  panic?: string;
}

export interface RunResume {
  type: "run.resume";
  plan: string;
  /** The new limit on attempts, counted from the run's beginning; null is none. */
  tasks_max: number | null;
}

export interface RunStop {
  type: "run.stop";
  plan: string;
  why: string;
}

export interface RunEnd {
  type: "run.end";
  plan: string;
  id: string;
  outcome: RunOutcome;
}

export interface HoldSet {
  type: "hold.set";
  project: string;
  key: string;
  until: number | null;
  why: string;
}

export interface HoldClear {
  type: "hold.clear";
  project: string;
  key: string;
}

/** An engine could not carry on with something. Changes nothing: a fact for the record. */
export interface EngineFail {
  type: "engine.fail";
  plan: string;
  failure: EngineFailure;
}

/** An operator's hook was told of something and did not end well. Changes nothing: a fact for the record. */
export interface HookFail {
  type: "hook.fail";
  plan: string;
  /** The task that the hook was told of. */
  task: string | null;
  failure: HookFailure;
}

/** A run ended before its hooks had been told of everything. */
export interface HookSkip {
  type: "hook.skip";
  plan: string;
  skipped: HookSkipped;
}

/** The wall clock of a node moved against the time that passed. Changes nothing: a fact for the record. */
export interface ClockJump {
  type: "clock.jump";
  plan: string;
  /** Forward is positive. */
  ms: number;
}

export interface LeaseExpire extends OfTask {
  type: "lease.expire";
  token: number;
}

/** A whole plan at once; it has a handler of its own over iterators (see `plan-load.ts`). */
export interface PlanLoad {
  type: "plan.load";
  project: string;
  /** The id that a new plan gets. */
  id: string;
  plan: CompiledPlan;
}

/** Commands on single rows: what `needs`, `handle` and `evolve` know. */
export type RowCommand =
  | TaskClaim
  | TaskRenew
  | TaskDone
  | TaskFail
  | TaskRetry
  | TaskSkip
  | TaskCancel
  | TaskAdd
  | TaskEdit
  | TaskOverride
  | TaskCascade
  | AttemptStart
  | AttemptAdopt
  | AttemptReport
  | AttemptStop
  | AttemptExtend
  | AttemptInterrupt
  | AttemptSettle
  | CheckRecord
  | CheckBaseline
  | LandingBegin
  | LandingAdopt
  | LandingMove
  | LandingFail
  | VerdictGive
  | ItemOpen
  | ItemAnswer
  | ItemExpire
  | RunStart
  | RunPause
  | RunResume
  | RunStop
  | RunEnd
  | HoldSet
  | HoldClear
  | EngineFail
  | HookFail
  | HookSkip
  | ClockJump
  | LeaseExpire;
