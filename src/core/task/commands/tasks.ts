/** Wishes about a task: of whoever works on it, of its operator, and of a plan. */

import type { CompiledTask, TaskDefinition } from "../../plan/definition.ts";
import type { AttemptKind, Holder } from "../rows.ts";
import type { Verdict } from "./landings.ts";
import type { OfTask } from "./of-task.ts";

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
  /** What the agent draws on beside itself: no hold may close for any of these keys. */
  draws_on?: readonly string[];
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

export interface LeaseExpire extends OfTask {
  type: "lease.expire";
  token: number;
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
