/** How an attempt ends, and what its end means for the task. */

import type { Setback } from "../../attempt/caps.ts";
import { FRESH_COUNTERS, SETBACKS_MAX } from "../../attempt/caps.ts";
import { needsPerson } from "../../attempt/failure.ts";
import { LIMIT_REACHED, limitDelay } from "../../attempt/limit.ts";
import { retryDelay } from "../../attempt/retry.ts";
import type { Lane } from "../../lane/lane.ts";
import { lastWorkPhase, nextReview, phaseAt } from "../../lane/lane.ts";
import type { AttemptSettle } from "../commands/attempts.ts";
import type { Verdict } from "../commands/landings.ts";
import type { OfTask } from "../commands/of-task.ts";
import type { Draft } from "../draft.ts";
import type { MoveCause } from "../moves.ts";
import type { Outcome, Stop, TaskRow } from "../rows.ts";
import { withoutWork } from "./discard.ts";
import { endTask } from "./end.ts";
import { settleHolds } from "./holds.ts";
import { openItem, SETBACK_OPTIONS } from "./items.ts";
import { laneOf } from "./lane-of.ts";
import { verdictProblem } from "./verdict-problem.ts";
import { withdrawItems } from "./withdraw-items.ts";

/** All that a wish to settle says of the end itself. */
export type Settlement = Omit<AttemptSettle, keyof OfTask | "type" | "token" | "checkout" | "repository">;

/** A settlement with nothing to say but how it ended. */
export function plainly(outcome: Outcome, error: string | null = null): Settlement {
  const nothing = { summary: null, usage: null, cost_usd: null, unlanded: false, verdict: null };
  return { outcome, error, killed: outcome === "lost", ...nothing };
}

/** Settles the live attempt with exactly one outcome and moves the task on. */
export function settle(draft: Draft, settlement: Settlement): Draft {
  const { stop } = draft.attempt;
  const lane = laneOf(draft);
  const phase = phaseAt(lane, draft.task.phase);
  const isReview = phase.kind === "review";
  const problem = isReview ? verdictProblem(draft, phase, settlement.verdict, draft.attempt.agent) : null;
  const outcome = outcomeOf(settlement, stop, problem !== null);
  const { summary, report = null, usage, cost_usd, failure = null, partial = false } = settlement;
  const error = settlement.error ?? (settlement.outcome === "succeeded" ? problem?.message : null) ?? stop?.why ?? null;
  const worker = isReview ? draft.task.worker : draft.attempt.agent;
  const kept: Partial<TaskRow> = {
    unlanded: draft.task.unlanded || settlement.unlanded,
    dirty: settlement.killed,
    worker,
  };
  draft.add("attempt.settled", { outcome, error, summary, report, usage, cost_usd, failure, partial });
  settleHolds(draft, settlement, error);
  // Nobody hears the answer any more: the next attempt asks by itself what it has to know.
  if (draft.attempt.kind === "run" && outcome !== "blocked")
    withdrawItems(draft, "the attempt that asked has ended", "question");
  if (stop?.then === "pending") {
    const set = stop.discards ? withoutWork(draft) : kept;
    return draft.move("pending", "handed_back", { ...set, last_error: stop.why });
  }
  if (stop?.then) return endTask(draft, stop.then, stop.why, stop.satisfies ?? false, endCause(draft, stop.then));
  const verdict = isReview ? settlement.verdict : null;
  return afterOutcome(draft, lane, outcome, { ...settlement, error, verdict }, kept);
}

function endCause(draft: Draft, to: "skipped" | "cancelled" | "verified"): MoveCause {
  if (to === "verified") return "override";
  return draft.task.retired && to === "cancelled" ? "retired" : "operator";
}

/** What was asked for is the outcome, except that an attempt which had ended by itself ended as it did. */
function outcomeOf({ outcome }: Settlement, stop: Stop | null, isUnjudged: boolean): Outcome {
  const own = outcome === "succeeded" && isUnjudged ? "failed" : outcome;
  if (!stop) return own;
  return stop.then === null && outcome !== "interrupted" && outcome !== "lost" ? own : stop.as;
}

function afterOutcome(draft: Draft, lane: Lane, outcome: Outcome, s: Settlement, kept: Partial<TaskRow>): Draft {
  switch (outcome) {
    case "succeeded":
      return s.verdict ? afterVerdict(draft, lane, s.verdict) : afterPhase(draft, lane, kept);
    case "failed":
      // No other try could mend it: what it is of is held until a person has.
      if (s.limit && needsPerson(s.failure))
        return setBack(draft, "rate_limited", s.failure, s.error ?? s.failure, kept);
      return failTry(draft, "try_left", s.error ?? "failed", kept);
    case "timed_out":
    case "stalled":
    case "cancelled":
      return failTry(draft, "try_left", s.error ?? outcome.replace("_", " "), kept);
    case "interrupted":
      return draft.move("pending", "handed_back", kept);
    case "lost":
      return setBack(draft, "lost", "lost", s.error ?? "the attempt was lost", kept);
    case "rate_limited":
      return setBack(draft, "rate_limited", "rate_limited", s.error ?? LIMIT_REACHED, {
        ...kept,
        // What is held closes its own gate; a limit of nobody knows what makes at least its task wait.
        due_at: s.limit ? null : draft.now + limitDelay(draft.task.rate_limited + 1),
      });
    case "blocked":
      return askFirst(draft, s.error ?? "the agent cannot go on without an answer", kept);
  }
}

function afterPhase(draft: Draft, lane: Lane, kept: Partial<TaskRow>): Draft {
  const { phase } = draft.task;
  if (phase === lastWorkPhase(lane)) return draft.move("claimed_done", "work_done", kept);
  return draft.move("pending", "phase_done", { ...kept, ...FRESH_COUNTERS, phase: phase + 1 });
}

/** Sends the task where its review's verdict says; only a verdict opens the next counted round. */
function afterVerdict(draft: Draft, lane: Lane, verdict: Verdict): Draft {
  const { phase, round } = draft.task;
  draft.add("verdict.given", { verdict, by: draft.attempt.agent });
  if (verdict.word === "approved") {
    if (nextReview(lane, phase) === null) return draft.move("claimed_done", "approved", { approved: true });
    return draft.move("pending", "phase_done", { ...FRESH_COUNTERS, phase: phase + 1 });
  }
  if (verdict.word === "product") {
    openItem(draft, { kind: "question", text: verdict.comments, options: SETBACK_OPTIONS });
    return draft.move("blocked", "product", { last_error: verdict.comments });
  }
  if (round >= phaseAt(lane, phase).rounds)
    return draft.move("failed", "rounds_gone", { last_error: verdict.comments, finished_at: draft.now });
  const again = { ...FRESH_COUNTERS, round: round + 1, last_error: verdict.comments, approved: false };
  if (verdict.word === "rejected") return draft.move("pending", "rejected", { ...again, phase: lastWorkPhase(lane) });
  return draft.move("pending", "rewrite", { ...again, phase: 0, unlanded: false });
}

/** A counted failure inside the round: the same phase again after a while, or the end of the task. */
export function failTry(draft: Draft, cause: MoveCause, error: string, set: Partial<TaskRow> = {}): Draft {
  const tries = draft.task.tries + 1;
  const { tries: most, retry_delay_ms } = draft.definition.body;
  const counted = { ...set, tries, last_error: error };
  if (tries >= most) {
    withdrawItems(draft, "the task failed");
    return draft.move("failed", "tries_gone", { ...counted, finished_at: draft.now });
  }
  return draft.move("pending", cause, { ...counted, due_at: draft.now + retryDelay(tries, retry_delay_ms) });
}

/** Nobody's fault: costs no try, and past its bound a person is asked. */
export function setBack(
  draft: Draft,
  kind: Setback,
  cause: MoveCause,
  error: string,
  set: Partial<TaskRow> = {},
): Draft {
  const count = draft.task[kind] + 1;
  const counted = { ...set, [kind]: count, last_error: error };
  if (count < SETBACKS_MAX[kind]) return draft.move("pending", cause, counted);
  const name = kind === "rate_limited" ? cause : kind;
  const text = `${name.replace("_", " ")} ${count} times in one round: ${error}`;
  openItem(draft, { kind: "setback", text, options: SETBACK_OPTIONS, default: "fail" });
  return draft.move("blocked", "setback_bound", counted);
}

function askFirst(draft: Draft, text: string, kept: Partial<TaskRow>): Draft {
  const questions = draft.task.questions + 1;
  if (questions >= SETBACKS_MAX.questions) return setBack(draft, "questions", "question", text, kept);
  if (draft.rows.items.every((item) => item.state !== "open"))
    openItem(draft, { kind: "question", text, options: SETBACK_OPTIONS });
  return draft.move("blocked", "question", { ...kept, questions, last_error: text });
}
