import type { PlanRow, RunRow } from "../../../../core/task/rows.ts";
import type { PlanSummary } from "../../../../ports/store.ts";
import type { Tables } from "../../tables.ts";
import { PLANS, RUNS } from "../codecs.ts";
import type { Database } from "../database.ts";
import { decode, decodeOrNull } from "../row-table.ts";

export function plans(db: Database, project: string): PlanRow[] {
  const found = db.sql(`SELECT ${PLANS.list()} FROM plans WHERE project = ? ORDER BY name`).all(project);
  return db.readable(found, (raw) => decode(PLANS, raw));
}

export function summary(db: Database, tables: Tables, id: string): PlanSummary | null {
  const plan = tables.plan(id);
  if (!plan) return null;
  const open =
    "SELECT count(DISTINCT coalesce('shared ' || shared, id)) AS n FROM items INDEXED BY items_open_by_task WHERE plan = ? AND state = 'open'";
  return { plan, tallies: tables.tallies(id), run: tables.liveRun(id), open_items: Number(db.sql(open).get(id)?.n) };
}

/** A live one is the last, whatever the clock said when it began. */
export function lastRun(db: Database, plan: string): RunRow | null {
  const sql = `SELECT ${RUNS.list()} FROM runs WHERE plan = ? ORDER BY state = 'ended', started_at DESC, id DESC LIMIT 1`;
  return decodeOrNull(RUNS, db.sql(sql).get(plan));
}

export function liveRuns(db: Database): RunRow[] {
  const found = db.sql(`SELECT ${RUNS.list()} FROM runs WHERE state <> 'ended' ORDER BY started_at, id`).all();
  return db.readable(found, (raw) => decode(RUNS, raw));
}
