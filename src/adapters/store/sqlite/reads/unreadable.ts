import type { UnreadableRow } from "../../../../ports/store.ts";
import { recordOf } from "../../load-rows.ts";
import type { Tables } from "../../tables.ts";
import type { Database } from "../database.ts";

/** Of one plan; what has been mended since is forgotten. */
export function unreadable(db: Database, tables: Tables, plan: string): UnreadableRow[] {
  for (const task of tasksOf(db, plan)) forgetIfMended(db, tables, plan, task);
  return rowsOf(db, plan).map(({ task, message }) => ({ task, message }));
}

function tasksOf(db: Database, plan: string): Set<string> {
  return new Set(rowsOf(db, plan).flatMap(({ task }) => task ?? []));
}

/** What is broken still is found again by this very look. */
function forgetIfMended(db: Database, tables: Tables, plan: string, task: string): void {
  for (const { message } of rowsOf(db, plan).filter((row) => row.task === task)) db.leftOut.delete(message);
  db.readable([task], (id) => recordOf(tables, plan, id));
}

function rowsOf(db: Database, plan: string) {
  return [...db.leftOut.values()].filter((row) => row.plan === plan);
}
