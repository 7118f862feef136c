/** Whether an attempt goes on in the conversation of an earlier one of its task. */

import type { AttemptRow, Outcome } from "../task/rows.ts";
import { needsPerson } from "./failure.ts";

/** A conversation that is to be gone on with. */
export interface KeptSession {
  /** The agent's own name of it. */
  session: string;
  /** Number of the attempt that told it. */
  attempt: number;
  /** Why that attempt ended before its work was done, in words. */
  why: string;
}

/** Where a conversation is held. Paths are absolute. */
export interface SessionPlace {
  adapter: string;
  workspace: string;
  /** The agent's own home; null: it works in its user's. */
  home: string | null;
}

/**
 * The conversation of the last attempt that told one, if it and all after it ended without a word on their work. `attempts`
 * are those of the task. Null: it begins anew, and what went wrong stands in its brief.
 */
export function sessionToResume(next: AttemptRow, attempts: readonly AttemptRow[]): KeptSession | null {
  const earlier = attempts.filter(({ n }) => n < next.n).sort((one, other) => other.n - one.n);
  for (const attempt of earlier) {
    if (!isSamePart(attempt, next) || !isUnjudged(attempt)) return null;
    if (attempt.session !== null) return { session: attempt.session, attempt: attempt.n, why: whyOf(attempt) };
  }
  return null;
}

/**
 * What went wrong with the last try, for an attempt that goes on in an earlier one's conversation: the task's last error,
 * unless that is only why such an attempt broke off, which it is told as that.
 */
export function evidenceBeside(lastError: string | null, attempts: readonly AttemptRow[]): string | null {
  const brokeOff = attempts.some((attempt) => attempt.error === lastError && isUnjudged(attempt));
  return brokeOff ? null : lastError;
}

/** The first attempt of the task that was in the conversation which this one is in; null: this one itself, or it told none. */
export function goneOnFrom({ n, agent, session }: AttemptRow, attempts: readonly AttemptRow[]): number | null {
  const same = attempts.filter((each) => each.n < n && each.session === session && each.agent === agent);
  return session === null || same.length === 0 ? null : Math.min(...same.map((each) => each.n));
}

/**
 * Why the conversation of an earlier attempt cannot be gone on with where the next one works; null: it can. A command line
 * keeps its conversations in its home, and many find them by the path in which they were held.
 */
export function whyNotThere(held: SessionPlace | null, next: SessionPlace & { isHomeThere: boolean }): string | null {
  if (held === null) return "what that attempt was given is not kept any more";
  if (held.adapter !== next.adapter) return `it is one of the adapter ${held.adapter}`;
  if (held.workspace !== next.workspace) return `it was held in another workspace, ${held.workspace}`;
  if (held.home !== next.home) return `it was held in another home, ${held.home ?? "its user's"}`;
  return next.isHomeThere ? null : "its home is gone";
}

/** Another agent, phase or round has nothing to do with what was said. */
function isSamePart(one: AttemptRow, other: AttemptRow): boolean {
  return (
    one.kind === "run" &&
    other.kind === "run" &&
    one.agent === other.agent &&
    one.phase === other.phase &&
    one.round === other.round
  );
}

/** These cost no try; whatever does has evidence for a fresh start. */
const UNJUDGED: ReadonlySet<Outcome | null> = new Set(["interrupted", "lost", "rate_limited", "blocked"]);

function isUnjudged({ outcome, failure, stop }: AttemptRow): boolean {
  // What was said is of work that is not there any more.
  if (stop?.discards) return false;
  if (UNJUDGED.has(outcome)) return true;
  // Nobody looked at its work: it could not log in, or pay; or it was killed with all others, and its task handed back.
  return outcome === "failed" ? needsPerson(failure) : outcome === "cancelled" && stop?.then === "pending";
}

/** What went wrong may be long, and stands in the brief as well. */
const WHY_MAX = 500;

function whyOf({ outcome, error }: AttemptRow): string {
  const words = WORDS[outcome ?? "interrupted"] ?? "it ended early";
  return error === null ? words : `${words}: ${error.slice(0, WHY_MAX)}`;
}

const WORDS: Partial<Record<Outcome, string>> = {
  interrupted: "it was interrupted",
  cancelled: "it was stopped",
  lost: "its process was lost",
  rate_limited: "a limit turned it away",
  blocked: "it waited for a person",
  failed: "its account turned it away",
};
