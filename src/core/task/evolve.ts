/** Applies one fact to the rows that it concerns. Never fails and never decides: replaying the log gives the same rows. */

import { invariant } from "../assert.ts";
import { adoptedColumns } from "./adopted-columns.ts";
import type { AddedTask, EventData, EventType, Fact, MoveData } from "./events.ts";
import type { Loaded } from "./loaded.ts";
import type {
  AttemptRow,
  DefinitionRow,
  ForeseenConflict,
  HoldRow,
  ItemRow,
  LandingRow,
  RunRow,
  TaskRow,
} from "./rows.ts";

export function evolve(rows: Loaded, fact: Fact, now: number): Loaded {
  const apply = APPLY[fact.type] as Apply<EventType>;
  return apply(rows, fact.data, now);
}

type Apply<T extends EventType> = (rows: Loaded, data: EventData[T], now: number) => Loaded;

const unchanged = (rows: Loaded): Loaded => rows;

const APPLY: { [T in EventType]: Apply<T> } = {
  "task.requeued": moved,
  "task.claimed": moved,
  "task.claimed_done": moved,
  "task.verified": moved,
  "task.blocked": moved,
  "task.failed": moved,
  "task.skipped": moved,
  "task.cancelled": moved,
  "task.added": (rows, { added }) => (added ? inserted(rows, added) : rows),
  "task.edited": (rows, { patch, waits }) => edited(rows, patch, waits),
  "task.updated": unchanged,
  "task.retired": unchanged,
  "task.returned": unchanged,
  "plan.loaded": unchanged,
  "attempt.created": (rows, { attempt, lease }) => ({
    ...rows,
    attempt,
    lease,
    token: attempt.token,
    run: attempt.kind === "run" ? onRun(rows, (run) => ({ started: run.started + 1 })) : rows.run,
  }),
  "attempt.started": onAttempt,
  "attempt.adopted": (rows, data) => ({ ...rows, lease: rows.lease && { ...rows.lease, ...data } }),
  "attempt.reported": onAttempt,
  "attempt.stopping": onAttempt,
  "attempt.extended": onAttempt,
  "attempt.interrupted": (rows, { interrupts }) => onAttempt(rows, { interrupts }),
  "attempt.settled": (rows, data, now) => ({
    ...onAttempt(rows, { ...data, state: "settled", ended_at: now }),
    lease: null,
    run:
      data.cost_usd === null ? rows.run : onRun(rows, (run) => ({ spent_usd: run.spent_usd + (data.cost_usd ?? 0) })),
  }),
  "conflict.foreseen": (rows, conflict) => foresee(rows, conflict.with, [conflict]),
  "conflict.gone": (rows, gone) => foresee(rows, gone.with, []),
  "lease.renewed": (rows, { expires_at }) => ({ ...rows, lease: rows.lease && { ...rows.lease, expires_at } }),
  "lease.refused": unchanged,
  "check.recorded": (rows, { result }) => ({ ...rows, checks: [...rows.checks, result] }),
  "check.flaky": unchanged,
  "landing.begun": (rows, { landing }) => ({
    ...(landing.candidate === null
      ? rows
      : onTask(rows, { unlanded: landing.candidate !== landing.tip, work_commit: landing.candidate })),
    landing,
    token: landing.token,
  }),
  "landing.advanced": (rows, data) => ({ ...rows, landing: rows.landing && bump<LandingRow>(rows.landing, data) }),
  "landing.put_off": (rows, { due_at, text, environment }) => onTask(rows, { due_at, last_error: text, environment }),
  "publication.intended": onTask,
  "publication.heard": onTask,
  "landing.ended": (rows) => ({ ...rows, landing: null }),
  "scope.warned": (rows, outside) => onAttempt(rows, { outside }),
  "checkout.changed": unchanged,
  "repository.mended": unchanged,
  "verdict.given": (rows, data) => ({ ...rows, verdicts: [...rows.verdicts, data] }),
  "item.opened": (rows, { item }) => ({
    ...rows,
    items: [...rows.items, item],
    plan: rows.plan && bump(rows.plan, { items: rows.plan.items + 1 }),
  }),
  "item.answered": (rows, { item, option, text }, now) =>
    closeItem(rows, item, { state: "answered", answer: text ?? option, closed_at: now }),
  "item.expired": (rows, { item, option }, now) =>
    closeItem(rows, item, { state: "expired", answer: option, closed_at: now }),
  "run.started": (rows, { run }) => ({ ...rows, run }),
  "run.moved": (rows, data) => ({ ...rows, run: onRun(rows, () => data) }),
  "run.ended": (rows, { outcome }, now) => ({
    ...rows,
    run: onRun(rows, () => ({ state: "ended", outcome, ended_at: now })),
  }),
  "hold.set": (rows, { hold }) => ({ ...rows, holds: [...rows.holds.filter((h) => h.key !== hold.key), hold] }),
  "engine.failed": unchanged,
  "hook.failed": unchanged,
  "hook.skipped": unchanged,
  "clock.jumped": unchanged,
  "hold.cleared": (rows, { key }) => ({ ...rows, holds: rows.holds.flatMap((h) => (h.key === key ? cleared(h) : h)) }),
  "hold.forgotten": (rows, { key }) => ({ ...rows, holds: rows.holds.filter((h) => h.key !== key) }),
};

/** That of a limit is remembered until an attempt gets through. */
function cleared(hold: HoldRow): HoldRow[] {
  return hold.known_from === null || hold.known_from === "trial" ? [] : [{ ...hold, over: true }];
}

/** A move to pending is when a definition that had to wait for a live task comes into force. */
function moved(rows: Loaded, { to, set }: MoveData): Loaded {
  const after = onTask(rows, { ...set, state: to });
  const next = rows.definition?.next;
  return to === "pending" && next ? adopt(after, { body: next, next: null }) : after;
}

function inserted(rows: Loaded, { row, definition, depends_on }: AddedTask): Loaded {
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
  invariant(rows.definition, "a definition takes the place of another");
  return { ...onTask(rows, adoptedColumns(rows.definition.body, definition.body)), definition };
}

function onTask(rows: Loaded, set: Partial<TaskRow>): Loaded {
  return { ...rows, task: rows.task && bump(rows.task, set) };
}

function onAttempt(rows: Loaded, set: Partial<AttemptRow>): Loaded {
  return { ...rows, attempt: rows.attempt && bump(rows.attempt, set) };
}

function foresee(rows: Loaded, other: string | null, now: ForeseenConflict[]): Loaded {
  const foreseen = [...(rows.attempt?.foreseen ?? []).filter((conflict) => conflict.with !== other), ...now];
  return onAttempt(rows, { foreseen: foreseen.length === 0 ? null : foreseen });
}

function onRun({ run }: Loaded, set: (run: RunRow) => Partial<RunRow>): RunRow | null {
  return run && bump(run, set(run));
}

function closeItem(rows: Loaded, id: string, set: Partial<ItemRow>): Loaded {
  return { ...rows, items: rows.items.map((item) => (item.id === id ? bump(item, set) : item)) };
}

function bump<T extends { version: number }>(row: T, set: Partial<T>): T {
  return { ...row, ...set, version: row.version + 1 };
}
