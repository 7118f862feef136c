import type { QueuedTask } from "../../../../core/schedule/landing-queue.ts";
import type { DependencyState } from "../../../../core/task/loaded.ts";
import type { AttemptRow, CheckOutcome, TaskRow } from "../../../../core/task/rows.ts";
import type { RecordedCheck, TaskQuery, TaskRecord } from "../../../../ports/store.ts";
import { PAGE } from "../../../../ports/store.ts";
import { recordOf } from "../../load-rows.ts";
import type { Tables } from "../../tables.ts";
import { ATTEMPTS, CHECKS, TASKS } from "../codecs.ts";
import type { Database } from "../database.ts";
import type { SqlRow } from "../driver.ts";
import { LIMIT, PAGE_OF } from "../limit.ts";
import { decode } from "../row-table.ts";

const IN_ORDER = "ORDER BY priority, wave, rank, natural_key, id";

/** Greater than every id that begins with the prefix before it: no control character stands in an id, and no higher one can follow. */
const LAST = "\u{10ffff}";

export function tasks(db: Database, plan: string, { state, offset, limit }: TaskQuery): TaskRow[] {
  const where = `plan = ?${state === undefined ? "" : " AND state = ?"}`;
  const sql = `SELECT ${TASKS.list()} FROM tasks INDEXED BY tasks_in_order WHERE ${where} ${IN_ORDER} ${PAGE_OF}`;
  const named = state === undefined ? [plan] : [plan, state];
  return db
    .sql(sql)
    .all(...named, Math.min(limit, PAGE), offset)
    .map((raw) => decode(TASKS, raw));
}

export function taskIds(db: Database, plan: string, prefix: string, limit: number): string[] {
  return db
    .sql(`SELECT id FROM tasks WHERE plan = ? AND id >= ? AND id < ? ORDER BY natural_key, id ${LIMIT}`)
    .all(plan, prefix, prefix + LAST, Math.min(limit, PAGE))
    .map((raw) => String(raw.id));
}

export function dependencies(db: Database, plan: string, task: string): DependencyState[] {
  const sql = `
    SELECT t.id, t.state, t.satisfied
    FROM tasks o CROSS JOIN dependencies e ON e.task = o.key CROSS JOIN tasks t ON t.key = e.depends_on
    WHERE o.plan = ? AND o.id = ? ORDER BY t.natural_key, t.id`;
  return db
    .sql(sql)
    .all(plan, task)
    .map((raw) => ({ ...raw, satisfied: raw.satisfied === 1 }) as unknown as DependencyState);
}

/** The latest `PAGE` of them, oldest first. */
export function attempts(db: Database, plan: string, task: string): AttemptRow[] {
  return db
    .sql(`SELECT ${ATTEMPTS.list()} FROM attempts WHERE plan = ? AND task = ? ORDER BY n DESC LIMIT ${PAGE}`)
    .all(plan, task)
    .map((raw) => decode(ATTEMPTS, raw))
    .reverse();
}

/** The latest `PAGE` of them, oldest first. */
export function checks(db: Database, plan: string, task: string): RecordedCheck[] {
  return db
    .sql(`SELECT ${CHECKS.list()} FROM checks WHERE plan = ? AND task = ? ORDER BY rowid DESC LIMIT ${PAGE}`)
    .all(plan, task)
    .map((raw) => decode(CHECKS, raw))
    .reverse();
}

export function guardOutcome(db: Database, plan: string, tree: string, command: string): CheckOutcome | null {
  const sql = `
    SELECT outcome FROM checks INDEXED BY checks_of_guards WHERE plan = ? AND tree = ? AND command = ? AND kind = 'guard'
    ORDER BY rowid DESC LIMIT 1`;
  return (db.sql(sql).get(plan, tree, command)?.outcome ?? null) as CheckOutcome | null;
}

export function isFlaky(db: Database, plan: string, command: string): boolean {
  const sql = `
    SELECT 1 FROM checks INDEXED BY checks_of_guards
    WHERE plan = ? AND command = ? AND kind = 'guard' AND tree IS NOT NULL
    GROUP BY tree HAVING sum(outcome = 'green') > 0 AND sum(outcome NOT IN ('green', 'error')) > 0 LIMIT 1`;
  return db.sql(sql).get(plan, command) !== undefined;
}

export function active(db: Database, tables: Tables, plan: string, limit: number): TaskRecord[] {
  const sql = `
    SELECT id FROM tasks INDEXED BY tasks_active WHERE plan = ? AND state IN ('in_progress', 'claimed_done')
    ORDER BY started_at, natural_key, id ${LIMIT}`;
  return recordsOf(db, tables, plan, db.sql(sql).all(plan, Math.min(limit, PAGE)));
}

/** The order of the landing queue; `a`: the attempt that left the work. */
const IN_QUEUE = "ORDER BY t.priority, a.ended_at, t.natural_key, t.id";

/** What was put off is left out until its time. */
export function unlanded(db: Database, tables: Tables, plan: string, limit: number, now: number): TaskRecord[] {
  const sql = `
    SELECT t.id FROM tasks t INDEXED BY tasks_active
    LEFT JOIN attempts a ON a.plan = t.plan AND a.task = t.id AND a.n = t.attempts
    WHERE t.plan = ? AND t.state IN ('in_progress', 'claimed_done') AND t.state = 'claimed_done'
      AND (t.due_at IS NULL OR t.due_at <= ?)
    ${IN_QUEUE} ${LIMIT}`;
  return recordsOf(db, tables, plan, db.sql(sql).all(plan, now, Math.min(limit, PAGE)));
}

export function landingQueue(db: Database, project: string, target: string, limit: number, now: number): QueuedTask[] {
  const sql = `
    SELECT t.plan, p.name AS plan_name, t.id FROM plans p
    CROSS JOIN tasks t INDEXED BY tasks_active ON t.plan = p.id
    LEFT JOIN attempts a ON a.plan = t.plan AND a.task = t.id AND a.n = t.attempts
    WHERE p.project = ? AND t.target = ? AND t.state IN ('in_progress', 'claimed_done') AND t.state = 'claimed_done'
      AND (t.due_at IS NULL OR t.due_at <= ?)
    ${IN_QUEUE}, t.plan ${LIMIT}`;
  return db.sql(sql).all(project, target, now, Math.min(limit, PAGE)) as unknown as QueuedTask[];
}

function recordsOf(db: Database, tables: Tables, plan: string, found: SqlRow[]): TaskRecord[] {
  return db.readable(found, ({ id }) => recordOf(tables, plan, String(id))).filter((record) => record !== null);
}
