/** Writes what a decision changed: rows that are no longer the same value, facts, counters. */

import { invariant } from "../../core/assert.ts";
import { movement } from "../../core/task/counters.ts";
import type { Event, Fact } from "../../core/task/events.ts";
import { evolve } from "../../core/task/evolve.ts";
import type { Loaded } from "../../core/task/loaded.ts";
import type { AttemptKey, HeldAttempt, Stamp, Tables } from "./tables.ts";

/** Applies the step from `before` to `after`, which `facts` tell of, and answers the numbered events. */
export function writeChanges(tables: Tables, before: Loaded, after: Loaded, facts: Fact[], stamp: Stamp): Event[] {
  writeRows(tables, before, after, facts, stamp.at);
  return tables.append(facts, stamp);
}

/** The same without the facts themselves, for whoever appends those of many steps at once. */
export function writeRows(tables: Tables, before: Loaded, after: Loaded, facts: Fact[], now: number): void {
  writePlan(tables, before, after);
  writeTask(tables, before, after);
  writeAttempts(tables, before, after, facts, now);
  writeLanding(tables, before, after);
  writeRun(tables, before, after);
  writeItems(tables, before, after);
  writeHolds(tables, before, after);
  writeEvidence(tables, after, now);
  if (after.token !== before.token) tables.setLastToken(after.token);
}

function writePlan(tables: Tables, before: Loaded, after: Loaded): void {
  if (after.plan !== before.plan && before.plan && after.plan) tables.updatePlan(before.plan, after.plan);
}

/** The task's row and all that counts it. */
function writeTask(tables: Tables, before: Loaded, after: Loaded): void {
  const { task, definition } = after;
  if (!task) return;
  if (task !== before.task) {
    if (before.task) tables.updateTask(before.task, task);
    else {
      invariant(definition, "a new task has a definition");
      tables.insertTasks([{ row: task, definition, edges: after.edges }]);
    }
    const { tallies, dependants } = movement(before.task, task);
    tables.addTallies(task.plan, tallies);
    if (dependants.unmet !== 0 || dependants.dead !== 0) tables.moveDependants(task.plan, task.id, dependants);
  }
  if (before.definition && definition && definition !== before.definition)
    tables.updateDefinition(task.plan, task.id, before.definition, definition);
}

/** The last attempt with its lease; when the decision began another, also how the one before it ended. */
function writeAttempts(tables: Tables, before: Loaded, after: Loaded, facts: Fact[], now: number): void {
  if (after.attempt === before.attempt && after.lease === before.lease) return;
  const known = heldOf(before);
  if (known) updateAttempt(tables, known, lastOf(known, before, facts, now));
  const last = heldOf(after);
  if (last && last.attempt.n !== known?.attempt.n) tables.insertAttempt(last);
}

function heldOf({ attempt, lease }: Loaded): HeldAttempt | null {
  return attempt && { attempt, lease };
}

function updateAttempt(tables: Tables, before: HeldAttempt, after: HeldAttempt): void {
  if (after.attempt !== before.attempt || after.lease !== before.lease) tables.updateAttempt(before, after);
}

/** The attempt as the facts left it, even when another has taken its place: a claim settles one whose lease has run out. */
function lastOf(known: HeldAttempt, before: Loaded, facts: Fact[], now: number): HeldAttempt {
  let last = known;
  let rows = before;
  for (const fact of facts) {
    rows = evolve(rows, fact, now);
    if (rows.attempt?.n === known.attempt.n) last = { attempt: rows.attempt, lease: rows.lease };
  }
  return last;
}

function writeLanding(tables: Tables, before: Loaded, after: Loaded): void {
  if (after.landing === before.landing) return;
  if (before.landing && before.landing.token === after.landing?.token)
    tables.updateLanding(before.landing, after.landing);
  else {
    if (before.landing) tables.deleteLanding(before.landing);
    if (after.landing) tables.insertLanding(after.landing);
  }
}

function writeRun(tables: Tables, before: Loaded, after: Loaded): void {
  if (after.run === before.run || !after.run) return;
  if (before.run) tables.updateRun(before.run, after.run);
  else tables.insertRun(after.run);
}

function writeItems(tables: Tables, before: Loaded, after: Loaded): void {
  if (after.items === before.items) return;
  for (const item of after.items) {
    const known = before.items.find((i) => i.id === item.id);
    if (!known) tables.insertItem(item);
    else if (known !== item) tables.updateItem(known, item);
  }
}

function writeHolds(tables: Tables, before: Loaded, after: Loaded): void {
  if (after.holds === before.holds) return;
  for (const hold of before.holds) if (!after.holds.some((h) => h.key === hold.key)) tables.deleteHold(hold);
  for (const hold of after.holds) if (!before.holds.includes(hold)) tables.putHold(hold);
}

/** Checks and verdicts are only ever appended. */
function writeEvidence(tables: Tables, { task, checks, verdicts }: Loaded, now: number): void {
  if (!task) return;
  const key: AttemptKey = { plan: task.plan, task: task.id, attempt: task.attempts };
  for (const result of checks) tables.insertCheck(key, now, result);
  for (const verdict of verdicts) tables.insertVerdict(key, now, verdict);
}
