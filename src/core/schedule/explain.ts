/** Why a task stands where it stands: the same gates that the scheduler asks, and an answer for every other state too. */

import { foreseenText, foreseenWithText } from "../attempt/foreseen.ts";
import { afterWait, answerCommand, isWaitedFor, itemLine, lateAnswer } from "../task/item-words.ts";
import type { AttemptRow, ForeseenConflict, ItemRow, LandingRow, TaskRow } from "../task/rows.ts";
import { attendedText, type Care, isLeft, leftText, uncarriedText, unlandedText } from "./care.ts";
import type { Candidate, Facts } from "./facts.ts";
import type { GateCode } from "./gates.ts";
import { closedGates } from "./gates.ts";
import { type QueuePlace, queueText } from "./landing-queue.ts";

export type ReasonCode =
  | GateCode
  | "ready"
  | "stopping"
  | "question"
  | "no_engine"
  | "in_progress"
  | "claimed_done"
  | "blocked"
  | "conflict_foreseen"
  | TaskRow["state"];

export interface Reason {
  code: ReasonCode;
  text: string;
  /** When this changes by itself, milliseconds since 1970; null: unknown. */
  until: number | null;
  /** What causes it: ids of tasks, runs, items or holds. */
  by: string[];
}

export interface Explanation {
  id: string;
  state: TaskRow["state"];
  reason: Reason;
  reasons: Reason[];
}

export interface Explained extends Candidate {
  attempt: AttemptRow | null;
  landing: LandingRow | null;
  /** Where its work stands in the queue of its target; null: it does not, or stands behind all that was read of it. */
  queued: QueuePlace | null;
  items: ItemRow[];
  leaseExpiresAt: number | null;
  /** Absent: nobody looked who sees to it. */
  care?: Care;
  /** What other tasks' work will conflict with this one's, which started first. */
  foreseenBy?: readonly { task: string; conflict: ForeseenConflict }[];
}

export function explain(facts: Facts, task: Explained, now: number): Explanation {
  const reasons = reasonsOf(facts, task, now);
  const first = reasons[0];
  const { id, state } = task.row;
  return { id, state, reason: first ?? READY, reasons };
}

const READY: Reason = {
  code: "ready",
  text: "nothing holds it: it can be claimed or started now",
  until: null,
  by: [],
};

function reasonsOf(facts: Facts, task: Explained, now: number): Reason[] {
  switch (task.row.state) {
    case "pending":
      return [...closedGates(facts, task, now), ...without(task.care && uncarriedText(task.care))];
    case "in_progress":
      return [...underWay(task, now), ...foreseen(task)];
    case "claimed_done": {
      const landing = putOff(task.row, now) ?? atTheEngine(task);
      return [...without(task.care && unlandedText(task.care)), landing, ...foreseen(task)];
    }
    case "blocked":
      return task.items.length === 0 ? [ended(task.row)] : task.items.map(asked);
    default:
      return [ended(task.row)];
  }
}

/** A question that its agent waits for comes first: nothing goes on before it is answered. */
function underWay(task: Explained, now: number): Reason[] {
  const waited = task.items.filter((item) => isWaitedFor(item, now)).map(waitedFor);
  const others = task.items.filter((item) => !isWaitedFor(item, now)).map(askedMeanwhile);
  const { attempt, care } = task;
  const left = attempt !== null && care !== undefined && isLeft(care) ? leftText(care, attempt.n) : null;
  return [...without(left), ...waited, atWork(task), ...others];
}

/** Nobody is there who would do what is due. */
function without(text: string | null | undefined): Reason[] {
  return text == null ? [] : [{ code: "no_engine", text, until: null, by: [] }];
}

function waitedFor(item: ItemRow): Reason {
  const text = `waits for your answer to ${item.id}: ${itemLine(item)}; \`${answerCommand(item)}\`; without one by then: ${afterWait(item)}`;
  return { code: "question", text, until: item.wait?.until ?? null, by: [item.id] };
}

/** Its agent works on meanwhile, or did not hear of it in time. */
function askedMeanwhile(item: ItemRow): Reason {
  const late = item.wait === null ? "" : `; ${lateAnswer(item)}`;
  const text = `asked you, and goes on meanwhile: ${item.id}: ${itemLine(item)}; \`${answerCommand(item)}\`${late}`;
  return { code: "question", text, until: null, by: [item.id] };
}

function atWork({ attempt, leaseExpiresAt, care }: Explained): Reason {
  if (attempt === null) return { code: "in_progress", text: "an attempt is under way", until: null, by: [] };
  const by = [`#${attempt.n}`];
  if (attempt.stop)
    return { code: "stopping", text: `attempt ${attempt.n} is stopping: ${attempt.stop.why}`, until: null, by };
  const who = attempt.agent ?? (attempt.kind === "external" ? "an external worker" : "an agent");
  // The lease of an attempt by a run is kept: it is no end that anybody waits for.
  const until = attempt.kind === "external" ? leaseExpiresAt : null;
  const attended = care === undefined || isLeft(care) ? "" : attendedText(care);
  return { code: "in_progress", text: `attempt ${attempt.n} is under way by ${who}${attended}`, until, by };
}

function foreseen({ attempt, foreseenBy = [] }: Explained): Reason[] {
  const reason = (text: string, by: string[]): Reason => ({ code: "conflict_foreseen", text, until: null, by });
  const own = (attempt?.foreseen ?? []).map((conflict) =>
    reason(`it ${foreseenText(conflict)}`, conflict.with === null ? [] : [conflict.with]),
  );
  return [...own, ...foreseenBy.map(({ task, conflict }) => reason(foreseenWithText(task, conflict), [task]))];
}

/** Null unless its landing waits for its time. */
function putOff({ due_at, last_error }: TaskRow, now: number): Reason | null {
  if (due_at === null || due_at <= now) return null;
  return { code: "claimed_done", text: `it is landed again later: ${last_error ?? "unknown"}`, until: due_at, by: [] };
}

function atTheEngine({ row, landing, queued }: Explained): Reason {
  if (landing === null || landing.task !== row.id || landing.plan !== row.plan) return inLine(row, landing, queued);
  const doing = landing.check === null ? "it is being landed" : `its check \`${landing.check.command}\` runs`;
  return {
    code: "claimed_done",
    text: `${doing}, by process ${landing.holder.pid} on ${landing.holder.node}`,
    until: null,
    by: [],
  };
}

function inLine(row: TaskRow, landing: LandingRow | null, queued: QueuePlace | null): Reason {
  const next = landing === null ? "its checks wait for an engine or the next `lockstep task done`" : null;
  if (queued !== null && queued.ahead.length > 0) {
    const text = queueText(queued, row.target, row.plan);
    const by = queued.ahead.map(({ id }) => id);
    return { code: "claimed_done", text: next === null ? text : `${text}; ${next}`, until: null, by };
  }
  const text = next ?? `${landing?.task} is checked and landed first`;
  return { code: "claimed_done", text, until: null, by: landing === null ? [] : [landing.task] };
}

function asked(item: ItemRow): Reason {
  const { kind, id, default_option, deadline_at } = item;
  const otherwise =
    default_option === null || deadline_at === null ? "" : `; without an answer by then: ${default_option}`;
  const text = `${kind} ${id}: ${itemLine(item)}; \`${answerCommand(item)}\`${otherwise}`;
  return { code: "blocked", text, until: deadline_at, by: [id] };
}

const NO_REASON = "nobody said why";

/** The code says already how it ended. */
function ended(row: TaskRow): Reason {
  const { state, reason, last_error, satisfied } = row;
  const text =
    state === "verified"
      ? verifiedText(row)
      : [satisfied ? "counts as verified" : "", last_error ?? reason ?? ""].filter(Boolean).join(": ") || NO_REASON;
  return { code: state, text, until: null, by: [] };
}

function verifiedText({ unverified, landed_target, landed_sha }: TaskRow): string {
  if (unverified) return "by an operator's word, unverified";
  if (landed_target === null) return "its checks passed, and nothing had to land";
  return `landed on ${landed_target} as ${landed_sha}`;
}
