/** Wishes on the way from the claim that work is done to its landing. */

import type { VerdictWord } from "../../lane/verdict.ts";
import type { CheckResult, CheckUnderWay, Holder, Outside, RuledCause } from "../rows.ts";
import type { OfTask } from "./of-task.ts";

/** A reviewer's typed answer about the work of `commit` (null where there is no git). */
export interface Verdict {
  word: VerdictWord;
  comments: string;
  commit: string | null;
}

export interface VerdictGive extends OfTask, Verdict {
  type: "verdict.give";
  by: string;
  holder: Holder;
}

/** `unsure`: the guard runs once more on the same tree before anybody is blamed. */
export type Blame = "task" | "base" | "together" | "environment" | "unsure";

export interface CheckRecord extends OfTask {
  type: "check.record";
  target: string;
  token: number;
  result: CheckResult;
  /** Whose doing a red result is; ignored for a green one. */
  blame: Blame;
  /** Of a red one: what of its output tells what failed; absent: its tail does. */
  excerpt?: string;
  /** Of a green one: how often it was red on this very tree before; absent: never. */
  reds?: number;
  /** The check that is held and runs next. */
  next: CheckUnderWay | null;
}

/** A guard as it stood before the work began, so that a red one can be laid at the right door. */
export interface CheckBaseline extends OfTask {
  type: "check.baseline";
  result: CheckResult;
}

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
  /** The target stands at the candidate. False: nothing was moved, since a review is due first, or the landing mode is off. */
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
    | RuledCause
    | "environment"
    | "publish_refused"
    | "workspace_broken"
    | "no_changes";
  text: string;
  /** Of `publish_refused`, when the same may succeed by itself: not before that time, if one is known. */
  later?: { until: number | null };
}
