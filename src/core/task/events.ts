/** Facts. Each is appended in the same transaction as the change it tells of, and applying one never fails. */

import type { AgentReport } from "../attempt/agent-report.ts";
import type { FailureKind } from "../attempt/failure.ts";
import type { TaskDefinition } from "../plan/definition.ts";
import type { Verdict } from "./commands/landings.ts";
import type { MoveCause, TaskState } from "./moves.ts";
import type { Publication } from "./publication.ts";
import type {
  AttemptRow,
  CheckoutChange,
  CheckResult,
  EngineFailure,
  ForeseenConflict,
  HoldRow,
  HookFailure,
  HookSkipped,
  ItemRow,
  LandingRow,
  LeaseRow,
  Outcome,
  Outside,
  RepositoryMending,
  RunRow,
  RunState,
  Stop,
  TaskRow,
  Usage,
} from "./rows.ts";

/** The noun and verb of each move of a task. */
export const MOVE_EVENTS = {
  pending: "task.requeued",
  in_progress: "task.claimed",
  claimed_done: "task.claimed_done",
  verified: "task.verified",
  blocked: "task.blocked",
  failed: "task.failed",
  skipped: "task.skipped",
  cancelled: "task.cancelled",
} as const satisfies Record<TaskState, string>;

/** A move of a task: where from, where to, why, and every column that it sets beside the state. */
export interface MoveData {
  from: TaskState;
  to: TaskState;
  cause: MoveCause;
  set: Partial<TaskRow>;
}

export interface SettledData {
  outcome: Outcome;
  error: string | null;
  summary: string | null;
  report: AgentReport | null;
  usage: Usage | null;
  cost_usd: number | null;
  failure: FailureKind | null;
  partial: boolean;
}

export interface AddedTask {
  row: TaskRow;
  definition: TaskDefinition;
  depends_on: string[];
}

/** What an event's `data` holds, by type. */
export interface EventData {
  "plan.loaded": {
    name: string;
    revision: number;
    inserted: number;
    updated: number;
    retired: number;
    restored: number;
    total: number;
    policy_changed?: string[];
  };
  /** The row stands here when one task is added; a plan's load tells only that it was. */
  "task.added": { origin: string; revision: number; added: AddedTask | null };
  "task.updated": { revision: number; waits: boolean };
  "task.edited": { patch: Partial<TaskDefinition>; waits: boolean };
  "task.retired": { revision: number };
  "task.returned": { revision: number };
  "task.requeued": MoveData;
  "task.claimed": MoveData;
  "task.claimed_done": MoveData;
  "task.verified": MoveData;
  "task.blocked": MoveData;
  "task.failed": MoveData;
  "task.skipped": MoveData;
  "task.cancelled": MoveData;
  "attempt.created": { attempt: AttemptRow; lease: LeaseRow };
  "attempt.started": {
    state: "starting" | "running";
    process: AttemptRow["process"];
    base: string | null;
    base_tree: string | null;
  };
  "attempt.adopted": { holder: LeaseRow["holder"]; expires_at: number };
  "attempt.reported": Partial<Pick<AttemptRow, "progress" | "session" | "model">>;
  "attempt.stopping": { stop: Stop | null };
  "attempt.extended": { timeout_ms: number };
  "attempt.interrupted": { message: string; interrupts: number };
  "attempt.settled": SettledData;
  /** The attempt's work will conflict with the other; told anew when the files are others. */
  "conflict.foreseen": ForeseenConflict;
  /** As things stand now it will not. */
  "conflict.gone": Pick<ForeseenConflict, "with">;
  "lease.renewed": { expires_at: number };
  "lease.refused": { command: string; token: number; current: number | null };
  "check.recorded": { result: CheckResult };
  /** A guard that was red and then green on one tree: its word is worth little (the quarantine). */
  "check.flaky": { command: string; tree: string | null; reds: number };
  "landing.begun": { landing: LandingRow };
  "landing.advanced": { passed: string[]; check: LandingRow["check"] };
  /** The machine refused what it takes: the task stays claimed done, and is landed again at that time. */
  "landing.put_off": { due_at: number; text: string; environment: number };
  /** What is about to be offered outside: whoever publishes says so first. */
  "publication.intended": { publication: Publication };
  /** What was heard of it, or learned while nothing was to be done about it. */
  "publication.heard": { publication: Publication; last_error?: string };
  "landing.ended": { target: string; landed: boolean };
  /** The candidate changes files that the task does not own. */
  "scope.warned": Outside;
  /** Files in the user's own checkout changed while the attempt was at work. It was kept at a ref, and left as it is. */
  "checkout.changed": CheckoutChange;
  /** Refs, hooks or settings of the repository that all attempts share had been changed, and are as before again. */
  "repository.mended": RepositoryMending;
  "verdict.given": { verdict: Verdict; by: string | null };
  "item.opened": { item: ItemRow };
  "item.answered": { item: string; option: string; text: string | null };
  "item.expired": { item: string; option: string };
  "run.started": { run: RunRow };
  "run.moved": { state: RunState; reason: string | null; panic: boolean; tasks_max: number | null };
  "run.ended": { outcome: NonNullable<RunRow["outcome"]>; counts: Record<TaskState, number> };
  "hold.set": { hold: HoldRow };
  /** It holds nothing any more. */
  "hold.cleared": { key: string };
  /** An attempt got through: how often a limit came before is of no account any more. */
  "hold.forgotten": { key: string };
  /** One task's work was set aside, and the rest goes on. */
  "engine.failed": EngineFailure;
  "hook.failed": HookFailure;
  "hook.skipped": HookSkipped;
  "clock.jumped": { ms: number };
}

export type EventType = keyof EventData;

/** A fact before the store has numbered it. */
export type Fact<T extends EventType = EventType> = {
  [K in T]: { type: K; plan: string | null; task: string | null; attempt: number | null; data: EventData[K] };
}[T];

/** A fact as it stands in the log. */
export type Event = Fact & {
  /** Grows by one; the order of everything that happened in the store. */
  seq: number;
  at: number;
  /** Version of the shape of `data`. */
  v: 1;
  project: string;
  actor: string;
};
