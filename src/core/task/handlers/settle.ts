/** How an attempt ends, and what its end means for the task. */

import type { Setback } from "../../attempt/caps.ts";
import { FRESH_COUNTERS, SETBACKS_MAX } from "../../attempt/caps.ts";
import { retryDelay } from "../../attempt/retry.ts";
import type { Lane } from "../../lane/lane.ts";
import { lastWorkPhase, nextReview, phaseAt } from "../../lane/lane.ts";
import type { Verdict } from "../commands.ts";
import type { Draft } from "../draft.ts";
import type { MoveCause } from "../moves.ts";
import type { Outcome, Stop, TaskRow, Usage } from "../rows.ts";
import { endTask } from "./end.ts";
import { openItem, SETBACK_OPTIONS } from "./items.ts";
import { laneOf } from "./lane-of.ts";

export interface Settlement {
  outcome: Outcome;
  error: string | null;
  summary: string | null;
  usage: Usage | null;
  cost_usd: number | null;
  unlanded: boolean;
  verdict: Verdict | null;
  due_at: number | null;
}

/** A settlement with nothing to say but how it ended. */
export function plainly(outcome: Outcome, error: string | null = null): Settlement {
  return { outcome, error, summary: null, usage: null, cost_usd: null, unlanded: false, verdict: null, due_at: null };
}

/** Settles the live attempt with exactly one outcome and moves the task on. */
export function settle(draft: Draft, settlement: Settlement): void {
  const { stop } = draft.attempt;
  const lane = laneOf(draft);
  const phase = phaseAt(lane, draft.task.phase);
  const outcome = outcomeOf(settlement, stop, phase.kind === "review");
  const { error, summary, usage, cost_usd } = settlement;
  const worker = phase.kind === "review" ? draft.task.worker : draft.attempt.agent;
  const kept: Partial<TaskRow> = { unlanded: draft.task.unlanded || settlement.unlanded, worker };
  draft.add("attempt.settled", { outcome, error: error ?? stop?.why ?? null, summary, usage, cost_usd });
  if (stop?.then === "pending") draft.move("pending", "handed_back", { ...kept, last_error: stop.why });
  else if (stop?.then) endTask(draft, stop.then, stop.why, stop.satisfies ?? false, endCause(draft, stop.then));
  else afterOutcome(draft, lane, outcome, settlement, kept);
}

function endCause(draft: Draft, to: "skipped" | "cancelled" | "verified"): MoveCause {
  if (to === "verified") return "override";
  return draft.task.retired && to === "cancelled" ? "retired" : "operator";
}

/** What was asked for is the outcome, except that a killed attempt which had succeeded has succeeded. */
function outcomeOf({ outcome, verdict }: Settlement, stop: Stop | null, isReview: boolean): Outcome {
  if (outcome === "succeeded" && isReview && verdict === null && !stop) return "failed";
  if (!stop) return outcome;
  return stop.then === null && outcome === "succeeded" ? outcome : stop.as;
}

function afterOutcome(draft: Draft, lane: Lane, outcome: Outcome, s: Settlement, kept: Partial<TaskRow>): void {
  switch (outcome) {
    case "succeeded":
      return s.verdict ? afterVerdict(draft, lane, s.verdict) : afterPhase(draft, lane, kept);
    case "failed":
    case "timed_out":
    case "stalled":
    case "cancelled":
      return failTry(draft, "try_left", s.error ?? outcome.replace("_", " "), kept);
    case "interrupted":
      return void draft.move("pending", "handed_back", kept);
    case "lost":
      return setBack(draft, "lost", "lost", s.error ?? "the attempt was lost", kept);
    case "rate_limited":
      return setBack(draft, "rate_limited", "rate_limited", s.error ?? "a limit was reached", {
        ...kept,
        due_at: s.due_at,
      });
    case "blocked":
      return askFirst(draft, s.error ?? "the agent cannot go on without an answer", kept);
  }
}

function afterPhase(draft: Draft, lane: Lane, kept: Partial<TaskRow>): void {
  const { phase } = draft.task;
  if (phase === lastWorkPhase(lane)) draft.move("claimed_done", "work_done", kept);
  else draft.move("pending", "phase_done", { ...kept, ...FRESH_COUNTERS, phase: phase + 1 });
}

/** Sends the task where its review's verdict says; only a verdict opens the next counted round. */
function afterVerdict(draft: Draft, lane: Lane, verdict: Verdict): void {
  const { phase, round } = draft.task;
  draft.add("verdict.given", { verdict, by: draft.attempt.agent });
  if (verdict.word === "approved") {
    if (nextReview(lane, phase) === null) draft.move("claimed_done", "approved", { approved: true });
    else draft.move("pending", "phase_done", { ...FRESH_COUNTERS, phase: phase + 1 });
    return;
  }
  if (verdict.word === "product") {
    openItem(draft, { kind: "question", text: verdict.comments, options: SETBACK_OPTIONS });
    draft.move("blocked", "product", { last_error: verdict.comments });
    return;
  }
  if (round >= phaseAt(lane, phase).rounds) {
    draft.move("failed", "rounds_gone", { last_error: verdict.comments, finished_at: draft.now });
    return;
  }
  const again = { ...FRESH_COUNTERS, round: round + 1, last_error: verdict.comments, approved: false };
  if (verdict.word === "rejected") draft.move("pending", "rejected", { ...again, phase: lastWorkPhase(lane) });
  else draft.move("pending", "rewrite", { ...again, phase: 0, unlanded: false });
}

/** A counted failure inside the round: the same phase again after a while, or the end of the task. */
export function failTry(draft: Draft, cause: MoveCause, error: string, set: Partial<TaskRow> = {}): void {
  const tries = draft.task.tries + 1;
  const { tries: most, retry_delay_ms } = draft.definition.body;
  if (tries >= most) draft.move("failed", "tries_gone", { ...set, tries, last_error: error, finished_at: draft.now });
  else
    draft.move("pending", cause, {
      ...set,
      tries,
      last_error: error,
      due_at: draft.now + retryDelay(tries, retry_delay_ms),
    });
}

/** Nobody's fault: costs no try, and past its bound a person is asked. */
export function setBack(
  draft: Draft,
  kind: Setback,
  cause: MoveCause,
  error: string,
  set: Partial<TaskRow> = {},
): void {
  const count = draft.task[kind] + 1;
  const counted = { ...set, [kind]: count, last_error: error };
  if (count < SETBACKS_MAX[kind]) return void draft.move("pending", cause, counted);
  const text = `${kind.replace("_", " ")} ${count} times in one round: ${error}`;
  openItem(draft, { kind: "setback", text, options: SETBACK_OPTIONS, default: "fail" });
  draft.move("blocked", "setback_bound", counted);
}

function askFirst(draft: Draft, text: string, kept: Partial<TaskRow>): void {
  const questions = draft.task.questions + 1;
  if (questions >= SETBACKS_MAX.questions) return setBack(draft, "questions", "question", text, kept);
  if (draft.rows.items.every((item) => item.state !== "open"))
    openItem(draft, { kind: "question", text, options: SETBACK_OPTIONS });
  draft.move("blocked", "question", { ...kept, questions, last_error: text });
}
