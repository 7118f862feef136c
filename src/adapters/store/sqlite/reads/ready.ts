import { invariant } from "../../../../core/assert.ts";
import type { LandingRow } from "../../../../core/task/rows.ts";
import type { ReadyTask, RunOutLease } from "../../../../ports/store.ts";
import { inOrder } from "../../order.ts";
import type { Tables } from "../../tables.ts";
import { LANDINGS, TASKS } from "../codecs.ts";
import type { Database } from "../database.ts";
import { LIMIT } from "../limit.ts";
import { decode } from "../row-table.ts";

const IN_ORDER = `ORDER BY t.priority, t.wave, t.rank, t.natural_key, t.id ${LIMIT}`;

const READY = `
  SELECT ${TASKS.list("t.")} FROM tasks t INDEXED BY tasks_ready
  WHERE t.plan = ? AND t.state = 'pending' AND t.unmet = 0 AND t.due_at IS NULL ${IN_ORDER}`;

/** Tasks with a time of their own stand in an index of theirs, so that those of the future never fill the walk. */
const DUE = `
  SELECT t.id FROM tasks t INDEXED BY tasks_due
  WHERE t.plan = ? AND t.state = 'pending' AND t.unmet = 0 AND t.due_at IS NOT NULL AND t.due_at <= ? ${IN_ORDER}`;

const RUN_OUT = `
  SELECT t.id FROM attempts a INDEXED BY attempts_held_by_workers
  CROSS JOIN tasks t ON t.plan = a.plan AND t.id = a.task
  WHERE a.plan = ? AND a.kind = 'external' AND a.lease_expires_at IS NOT NULL AND a.lease_expires_at <= ? ${IN_ORDER}`;

export function ready(db: Database, tables: Tables, plan: string, now: number, limit: number): ReadyTask[] {
  const found = readable(db, tables, plan, now, limit);
  // What cannot be read must not take the places of what can.
  const lacking = found.walked === limit ? limit - found.tasks.length : 0;
  return lacking === 0 ? found.tasks : readable(db, tables, plan, now, limit + db.leftOut.size).tasks.slice(0, limit);
}

function readable(
  db: Database,
  tables: Tables,
  plan: string,
  now: number,
  limit: number,
): { tasks: ReadyTask[]; walked: number } {
  // There are seldom any of these, and a sorter of whole rows costs more than all the rest.
  const others = [...db.sql(DUE).all(plan, now, limit), ...db.sql(RUN_OUT).all(plan, now, limit)];
  const rows = [
    ...db
      .sql(READY)
      .all(plan, limit)
      .map((raw) => decode(TASKS, raw)),
    ...db.readable(others, ({ id }) => tables.task(plan, String(id))).filter((row) => row !== null),
  ];
  const walked = (others.length === 0 ? rows : rows.sort(inOrder)).slice(0, limit);
  const tasks = db.readable(walked, (row) => {
    const definition = tables.definition(plan, row.id);
    invariant(definition, `task ${row.id} has no definition`);
    return { row, definition: definition.body };
  });
  return { tasks, walked: walked.length };
}

const LEASES_RUN_OUT = `
  SELECT task, token FROM attempts INDEXED BY attempts_held_by_workers
  WHERE plan = ? AND kind = 'external' AND lease_expires_at IS NOT NULL AND lease_expires_at <= ?
  ORDER BY lease_expires_at, task ${LIMIT}`;

export function runOut(db: Database, plan: string, now: number, limit: number): RunOutLease[] {
  return db.sql(LEASES_RUN_OUT).all(plan, now, limit) as unknown as RunOutLease[];
}

export function landings(db: Database, project: string): LandingRow[] {
  const found = db.sql(`SELECT ${LANDINGS.list()} FROM landings WHERE project = ? ORDER BY target`).all(project);
  return db.readable(found, (raw) => decode(LANDINGS, raw));
}

export function cascading(db: Database, plan: string, limit: number): string[] {
  const sql = `
    SELECT id FROM tasks INDEXED BY tasks_cascading WHERE plan = ? AND state = 'pending' AND dead > 0 AND cascades = 1
    ORDER BY natural_key ${LIMIT}`;
  return db
    .sql(sql)
    .all(plan, limit)
    .map((raw) => String(raw.id));
}

const NEXT_DUE = `
  SELECT min(at) AS at FROM (
    SELECT min(due_at) AS at FROM tasks INDEXED BY tasks_due
      WHERE plan = ? AND state = 'pending' AND unmet = 0 AND due_at IS NOT NULL AND due_at > ?
    UNION ALL SELECT min(due_at) FROM tasks INDEXED BY tasks_active
      WHERE plan = ? AND state IN ('in_progress', 'claimed_done') AND state = 'claimed_done' AND due_at > ?
    UNION ALL SELECT min(lease_expires_at) FROM attempts INDEXED BY attempts_held_by_workers
      WHERE plan = ? AND kind = 'external' AND lease_expires_at IS NOT NULL AND lease_expires_at > ?
    UNION ALL SELECT min(deadline_at) FROM items INDEXED BY items_open_by_task
      WHERE plan = ? AND state = 'open' AND default_option IS NOT NULL AND deadline_at > ?)`;

/** What is due already is not a time to wait for: whoever sleeps asks this first, and then looks at what is ready. */
export function nextDue(db: Database, plan: string, now: number): number | null {
  return (db.sql(NEXT_DUE).get(plan, now, plan, now, plan, now, plan, now)?.at ?? null) as number | null;
}
