import type { TaskState } from "../../../../core/task/moves.ts";
import type { GraphTask } from "../../../../ports/store.ts";
import { PAGE } from "../../../../ports/store.ts";
import type { Database } from "../database.ts";
import type { SqlRow } from "../driver.ts";

const page = (after: string): string => `
  SELECT key, id, title, state, retired, priority, wave, rank, natural_key FROM tasks INDEXED BY tasks_in_order
  WHERE plan = ? ${after} ORDER BY priority, wave, rank, natural_key, id LIMIT ${PAGE}`;

/** Each page begins after the last task of the one before, so that none is shown twice while the plan changes. */
const FIRST_PAGE = page("");
const PAGE_AFTER = page("AND (priority, wave, rank, natural_key, id) > (?, ?, ?, ?, ?)");

const EDGES = `
  SELECT t.id FROM dependencies e CROSS JOIN tasks t ON t.key = e.depends_on WHERE e.task = ? ORDER BY t.natural_key, t.id`;

/** Every task of the plan that is not retired, in index order. */
export async function* graph(db: Database, plan: string): AsyncGenerator<GraphTask> {
  for (let rows = firstPage(db, plan); rows.length > 0; rows = nextPage(db, plan, rows)) {
    for (const raw of rows) if (raw.retired === 0) yield db.read(() => graphTask(db, raw));
  }
}

function firstPage(db: Database, plan: string): SqlRow[] {
  return db.read(() => db.sql(FIRST_PAGE).all(plan));
}

function nextPage(db: Database, plan: string, before: SqlRow[]): SqlRow[] {
  const { priority, wave, rank, natural_key, id } = before[before.length - 1]!;
  return db.read(() => db.sql(PAGE_AFTER).all(plan, priority!, wave!, rank!, natural_key!, id!));
}

function graphTask(db: Database, { key, id, title, state }: SqlRow): GraphTask {
  const depends_on = db
    .sql(EDGES)
    .all(key!)
    .map((raw) => String(raw.id));
  return { id: String(id), title: String(title), state: state as TaskState, depends_on };
}
