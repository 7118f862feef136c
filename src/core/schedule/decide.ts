/** Which of the ready tasks start now. Pure: the same facts give the same starts. */

import type { UnderwayTask } from "../task/rows.ts";
import type { Candidate, Facts } from "./facts.ts";
import { firstClosed } from "./gates.ts";
import type { StartedLately } from "./started-lately.ts";

/** How many ready tasks one look walks: enough to fill the slots past some that are held back, and bounded (spec, section 5). */
export function walkLimit(freeSlots: number): number {
  return 4 * freeSlots + 64;
}

/**
 * Walks `candidates`, which stand in index order, and yields those that may start, each judged with the ones before it
 * already under way. At most `slots` are yielded.
 */
export function decide(facts: Facts, candidates: readonly Candidate[], slots: number, now: number): Candidate[] {
  const starts: Candidate[] = [];
  let current = facts;
  for (const candidate of candidates.slice(0, walkLimit(slots))) {
    if (starts.length >= slots) break;
    if (firstClosed(current, candidate, now)) continue;
    starts.push(candidate);
    current = factsAfter(current, candidate);
  }
  return starts;
}

/** The facts as they are once this one has started. */
export function factsAfter(facts: Facts, { row, definition, kind, agent }: Candidate): Facts {
  const started: UnderwayTask = {
    plan: row.plan,
    id: row.id,
    state: "in_progress",
    mode: row.mode,
    target: row.target,
    kind,
    agent,
    files_owned: definition.files_owned,
  };
  return {
    ...facts,
    underway: [...facts.underway, started],
    run: facts.run && kind === "run" ? { ...facts.run, started: facts.run.started + 1 } : facts.run,
    started_last_hour: kind === "run" ? oneMore(facts.started_last_hour) : facts.started_last_hour,
  };
}

/** When it began matters to no other start of the same look. */
function oneMore({ count, first_at }: StartedLately): StartedLately {
  return { count: count + 1, first_at };
}
