/** Wishes about a live attempt. */

import type { AgentReport } from "../../attempt/agent-report.ts";
import type { FailureKind } from "../../attempt/failure.ts";
import type { CheckoutChange, ForeseenConflict, Holder, Limit, Outcome, RepositoryMending, Usage } from "../rows.ts";
import type { Verdict } from "./landings.ts";
import type { OfTask } from "./of-task.ts";
import type { Base } from "./tasks.ts";

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
  model?: string;
}

export interface AttemptStop extends OfTask {
  type: "attempt.stop";
  as: Outcome;
  why: string;
  then: "pending" | "skipped" | "cancelled" | "verified" | null;
  /** Killed without being asked to end first. */
  at_once?: boolean;
  /** With `then: "pending"`: the task begins again without its work, which its workspace keeps. */
  discards?: boolean;
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

/** All that the work of the task's last attempt will conflict with as things stand; what was foreseen before and is not here is gone. */
export interface AttemptForesee extends OfTask {
  type: "attempt.foresee";
  /** The work that was looked at. */
  attempt: number;
  conflicts: readonly ForeseenConflict[];
}

export interface AttemptSettle extends OfTask {
  type: "attempt.settle";
  token: number;
  outcome: Outcome;
  error: string | null;
  summary: string | null;
  /** What its agent reported of its work; absent: it made no report. */
  report?: AgentReport | null;
  usage: Usage | null;
  cost_usd: number | null;
  /** The kind of failure, where it failed and that is known. */
  failure?: FailureKind | null;
  /** It ended before it could tell all that it used; absent: it did not. */
  partial?: boolean;
  unlanded: boolean;
  /** Its agent was ended by force, or by nobody knows whom: what it was at is half done. */
  killed: boolean;
  verdict: Verdict | null;
  /** What turned it away, where its outcome is `rate_limited` and that is known. */
  limit?: Limit | null;
  /** What its agent draws on: of these an attempt that succeeded shows that they are free. */
  draws_on?: readonly string[];
  /** What came up in the user's checkout meanwhile; absent: nothing. */
  checkout?: CheckoutChange;
  /** What was put right in the repository; absent: nothing. */
  repository?: RepositoryMending;
}
