/** The head of a frame: which plan, how its run stands, how far it is. */

import { TASK_STATES } from "../core/task/moves.ts";
import type { RunOutcome } from "../core/task/rows.ts";
import { fitted, harmlessLine, textWidth } from "./cell-text.ts";
import type { FrameOptions } from "./frame-options.ts";
import { STATE_LOOKS } from "./paint.ts";
import type { PlanFacts } from "./plan-facts.ts";

/** How a run ended, for people. */
export const OUTCOME_WORDS: Readonly<Record<RunOutcome, string>> = {
  done: "done",
  failed: "some tasks failed",
  needs_person: "a person must decide",
  parked: "parked: it goes on at a later time",
  stopped: "stopped",
};

const GAP = "  ";

const BAR_CELLS_MAX = 40;

export function headLines(facts: PlanFacts, options: FrameOptions): string[] {
  return [titleLine(facts, options), barLine(facts, options), countsLine(facts, options)];
}

function titleLine(facts: PlanFacts, { width, paint, moments }: FrameOptions): string {
  const plan = fitted(harmlessLine(facts.plan), width);
  const cost = costText(facts);
  const room = width - textWidth(plan) - (cost === "" ? 0 : cost.length + GAP.length);
  const standing = fitted(`  ${runText(facts, moments)}, revision ${facts.revision}`, room);
  const title = paint("bold", plan) + paint(facts.carrier === "nobody" ? "yellow" : "dim", standing);
  if (cost === "" || room < 0) return title;
  // Where the width has no bound there is no right edge to stand at.
  return title + " ".repeat(Number.isFinite(room) ? room - textWidth(standing) : 0) + GAP + cost;
}

function costText({ run }: PlanFacts): string {
  return run === null || run.spent_usd === 0 ? "" : `$${run.spent_usd.toFixed(2)}`;
}

function runText({ run, carrier }: PlanFacts, moments: FrameOptions["moments"]): string {
  if (run === null) return "no run";
  if (run.state === "ended") return run.outcome === null ? "ended" : OUTCOME_WORDS[run.outcome];
  return `${run.state} ${moments.since(run.started_at)}${carrierText(carrier)}`;
}

function carrierText(carrier: PlanFacts["carrier"]): string {
  if (carrier === "self" || carrier === "unasked") return "";
  return carrier === "nobody" ? ", but no engine carries it" : `, carried by process ${carrier.pid}`;
}

function barLine({ completion_pct, done, expected }: PlanFacts, { width, paint }: FrameOptions): string {
  const text = `  ${completion_pct.toFixed(1)} %  ${done} of ${expected}`;
  const cells = Math.max(0, Math.min(BAR_CELLS_MAX, width - textWidth(text)));
  // Rounded down: the bar is full only when everything is done.
  const full = expected === 0 ? 0 : Math.floor((done / expected) * cells);
  return paint("green", "█".repeat(full)) + paint("dim", "░".repeat(cells - full)) + fitted(text, width);
}

/** `3 verified, 1 failed`, or only the signs of the states where that is too long. */
function countsLine({ counts }: PlanFacts, { width }: FrameOptions): string {
  const present = TASK_STATES.filter((state) => counts[state] > 0);
  if (present.length === 0) return "no tasks";
  const words = present.map((state) => `${counts[state]} ${state}`).join(", ");
  if (textWidth(words) <= width) return words;
  const signs = present.map((state) => `${STATE_LOOKS[state].sign} ${counts[state]}`);
  return fitted(signs.join(GAP), width);
}
