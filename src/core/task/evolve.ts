/** Applies one fact to the rows that it concerns. Never fails and never decides: replaying the log gives the same rows. */

import { invariant } from "../assert.ts";
import type { AddedTask, Fact, MoveData } from "./events.ts";
import type { Loaded } from "./loaded.ts";
import type { AttemptRow, DefinitionRow, ItemRow, LandingRow, RunRow, TaskRow } from "./rows.ts";

export function evolve(rows: Loaded, fact: Fact, now: number): Loaded {
  switch (fact.type) {
    case "task.requeued":
    case "task.claimed":
    case "task.claimed_done":
    case "task.verified":
    case "task.blocked":
    case "task.failed":
    case "task.skipped":
    case "task.cancelled":
      return moved(rows, fact.data);
    case "task.added":
      return fact.data.added ? added(rows, fact.data.added) : rows;
    case "task.edited":
      return edited(rows, fact.data.patch, fact.data.waits);
    case "attempt.created":
      return {
        ...rows,
        attempt: fact.data.attempt,
        lease: fact.data.lease,
        token: fact.data.attempt.token,
        run:
          rows.run && fact.data.attempt.kind === "run" ? bump(rows.run, { started: rows.run.started + 1 }) : rows.run,
      };
    case "attempt.started":
      return onAttempt(rows, fact.data);
    case "attempt.stopping":
      return onAttempt(rows, { stop: fact.data.stop });
    case "attempt.settled":
      return {
        ...onAttempt(rows, { ...fact.data, state: "settled", ended_at: now }),
        lease: null,
        run:
          rows.run && fact.data.cost_usd !== null
            ? bump(rows.run, { spent_usd: rows.run.spent_usd + fact.data.cost_usd })
            : rows.run,
      };
    case "lease.renewed":
      return { ...rows, lease: rows.lease && { ...rows.lease, expires_at: fact.data.expires_at } };
    case "check.recorded":
      return { ...rows, checks: [...rows.checks, fact.data.result] };
    case "landing.begun":
      return {
        ...onTask(rows, {
          unlanded: fact.data.landing.candidate !== fact.data.landing.tip,
          work_commit: fact.data.landing.candidate,
        }),
        landing: fact.data.landing,
        token: fact.data.landing.token,
      };
    case "landing.advanced":
      return { ...rows, landing: rows.landing && bump<LandingRow>(rows.landing, fact.data) };
    case "landing.ended":
      return { ...rows, landing: null };
    case "verdict.given":
      return { ...rows, verdicts: [...rows.verdicts, fact.data] };
    case "item.opened":
      return {
        ...rows,
        items: [...rows.items, fact.data.item],
        plan: rows.plan && bump(rows.plan, { items: rows.plan.items + 1 }),
      };
    case "item.answered":
      return closeItem(rows, fact.data.item, {
        state: "answered",
        answer: fact.data.text ?? fact.data.option,
        closed_at: now,
      });
    case "item.expired":
      return closeItem(rows, fact.data.item, { state: "expired", answer: fact.data.option, closed_at: now });
    case "run.started":
      return { ...rows, run: fact.data.run };
    case "run.moved":
      return { ...rows, run: rows.run && bump(rows.run, fact.data) };
    case "run.ended":
      return {
        ...rows,
        run: rows.run && bump<RunRow>(rows.run, { state: "ended", outcome: fact.data.outcome, ended_at: now }),
      };
    case "hold.set":
      return { ...rows, holds: [...rows.holds.filter((h) => h.key !== fact.data.hold.key), fact.data.hold] };
    case "hold.cleared":
      return { ...rows, holds: rows.holds.filter((h) => h.key !== fact.data.key) };
    case "lease.refused":
    case "plan.loaded":
    case "task.updated":
    case "task.retired":
    case "task.returned":
      return rows;
  }
}

/** A move to pending is when a definition that had to wait for a live task comes into force. */
function moved(rows: Loaded, { to, set }: MoveData): Loaded {
  const after = onTask(rows, { ...set, state: to });
  const next = rows.definition?.next;
  return to === "pending" && next ? adopt(after, { body: next, next: null }) : after;
}

function added(rows: Loaded, { row, definition, depends_on }: AddedTask): Loaded {
  return { ...rows, task: row, definition: { body: definition, next: null }, edges: depends_on };
}

function edited(rows: Loaded, patch: Partial<DefinitionRow["body"]>, waits: boolean): Loaded {
  const definition = rows.definition;
  invariant(definition, "an edit without a definition");
  const changed = { ...(definition.next ?? definition.body), ...patch };
  return waits ? { ...rows, definition: { ...definition, next: changed } } : adopt(rows, { body: changed, next: null });
}

/** Columns that index or show what the definition says follow it. */
function adopt(rows: Loaded, definition: DefinitionRow): Loaded {
  const { title, priority, wave, files_owned } = definition.body;
  return { ...onTask(rows, { title, priority, wave, owns: files_owned.length > 0 }), definition };
}

function onTask(rows: Loaded, set: Partial<TaskRow>): Loaded {
  return { ...rows, task: rows.task && bump(rows.task, set) };
}

function onAttempt(rows: Loaded, set: Partial<AttemptRow>): Loaded {
  return { ...rows, attempt: rows.attempt && bump(rows.attempt, set) };
}

function closeItem(rows: Loaded, id: string, set: Partial<ItemRow>): Loaded {
  return { ...rows, items: rows.items.map((item) => (item.id === id ? bump(item, set) : item)) };
}

function bump<T extends { version: number }>(row: T, set: Partial<T>): T {
  return { ...row, ...set, version: row.version + 1 };
}
