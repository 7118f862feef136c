/** Holds: made by limits and by operators, ended by time. */

import { needsPerson } from "../../attempt/failure.ts";
import { LIMIT_REACHED, limitDelay } from "../../attempt/limit.ts";
import { holdScope, isHeld } from "../../schedule/holds.ts";
import type { AttemptSettle } from "../commands/attempts.ts";
import type { HoldExpire, HoldSet } from "../commands/runs.ts";
import type { Decision, Draft } from "../draft.ts";
import type { HoldRow, Limit } from "../rows.ts";

/** An agent's last words may be many; why something is held is shown in one line. */
const WHY_MAX = 300;

export function set(draft: Draft, { project, key, until, why, known_from = null }: HoldSet): Decision {
  const hold = { project: holdScope(project, key), key, until, why, known_from, count: 0, over: false };
  return draft.add("hold.set", { hold }).done();
}

type Settled = Pick<AttemptSettle, "outcome" | "failure" | "limit" | "draws_on">;

/** Whoever comes second, or too early, changes nothing. */
export function expire(draft: Draft, { key }: HoldExpire): Decision {
  const hold = holdOf(draft, key);
  if (hold !== null && !hold.over && !isHeld(hold, draft.now)) draft.add("hold.cleared", { key });
  return draft.done();
}

/** A limit holds what it is of; an attempt that succeeded shows what is free. */
export function settleHolds(
  draft: Draft,
  { outcome, failure, limit, draws_on = [] }: Settled,
  error: string | null,
): void {
  if ((outcome === "rate_limited" || needsPerson(failure)) && limit) holdBy(draft, limit, error ?? LIMIT_REACHED);
  if (outcome !== "succeeded") return;
  const remembered = draft.rows.holds.filter(({ key, over }) => over && draws_on.includes(key));
  for (const { key } of remembered) draft.add("hold.forgotten", { key });
}

/** Several attempts that end by the same limit extend the hold, and never shorten it. */
function holdBy(draft: Draft, limit: Limit, why: string): void {
  const known = holdOf(draft, limit.key);
  const inForce = known !== null && isHeld(known, draft.now) ? known : null;
  if (inForce?.until === null) return;
  // Nothing that draws on it starts while it is held: whoever ends by it now began before, and is turned away by the same.
  const count = inForce === null ? (known?.count ?? 0) + 1 : Math.max(1, inForce.count);
  const { until, known_from } = endOf(limit, count, draft.now);
  if (inForce !== null && until !== null && until <= inForce.until!) return;
  const { key } = limit;
  const project = holdScope(draft.plan.project, key);
  const hold = { project, key, until, why: firstLine(why), known_from, count, over: false };
  draft.add("hold.set", { hold });
}

/**
 * When the hold ends. A time that has passed already is believed once: it may have passed while the attempt ended. One that
 * comes with the next limit again is wrong.
 */
function endOf({ until, known_from }: Limit, count: number, now: number): Pick<HoldRow, "known_from" | "until"> {
  if (known_from === "person") return { until: null, known_from };
  if (until !== null && (until > now || count === 1)) return { until, known_from };
  return { until: now + limitDelay(count), known_from: "backoff" };
}

function firstLine(why: string): string {
  return why.trimStart().split("\n", 1)[0]!.slice(0, WHY_MAX);
}

function holdOf(draft: Draft, key: string): HoldRow | null {
  return draft.rows.holds.find((hold) => hold.key === key) ?? null;
}
