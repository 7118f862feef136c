import { EVERY_PROJECT } from "../../../../core/schedule/holds.ts";
import type { ProjectTables } from "../../tables.ts";
import { HOLDS, ITEMS, LANDINGS, RUNS } from "../codecs.ts";
import type { Database } from "../database.ts";
import { decode, decodeOrNull, encode, insertRow, updateRow } from "../row-table.ts";

const LIVE_RUN = `SELECT ${RUNS.list()} FROM runs INDEXED BY runs_live WHERE plan = ? AND state <> 'ended'`;

const OPEN_ITEMS_OF_TASK = `
  SELECT ${ITEMS.list()} FROM items INDEXED BY items_open_by_task
  WHERE plan = ? AND task = ? AND state = 'open' ORDER BY opened_at, rowid`;

const HOLDS_HERE = `SELECT ${HOLDS.list()} FROM holds WHERE project IN (?, '${EVERY_PROJECT}') ORDER BY key`;

const PUT_HOLD = `INSERT OR REPLACE INTO holds (${HOLDS.list()}) VALUES (${HOLDS.columns.map(() => "?").join(", ")})`;

export function projectTables(db: Database): ProjectTables {
  return {
    landing: (project, target) =>
      decodeOrNull(
        LANDINGS,
        db.sql(`SELECT ${LANDINGS.list()} FROM landings WHERE project = ? AND target = ?`).get(project, target),
      ),
    insertLanding: (row) => insertRow(db, LANDINGS, row),
    updateLanding: (before, after) => updateRow(db, LANDINGS, before, after),
    deleteLanding: ({ project, target }) =>
      void db.sql("DELETE FROM landings WHERE project = ? AND target = ?").run(project, target),
    liveRun: (plan) => decodeOrNull(RUNS, db.sql(LIVE_RUN).get(plan)),
    insertRun: (row) => insertRow(db, RUNS, row),
    updateRun: (before, after) => updateRow(db, RUNS, before, after),
    item: (plan, id) =>
      decodeOrNull(ITEMS, db.sql(`SELECT ${ITEMS.list()} FROM items WHERE plan = ? AND id = ?`).get(plan, id)),
    openItemsOf: (plan, task) =>
      db
        .sql(OPEN_ITEMS_OF_TASK)
        .all(plan, task)
        .map((raw) => decode(ITEMS, raw)),
    insertItem: (row) => insertRow(db, ITEMS, row),
    updateItem: (before, after) => updateRow(db, ITEMS, before, after),
    holds: (project) =>
      db
        .sql(HOLDS_HERE)
        .all(project)
        .map((raw) => decode(HOLDS, raw)),
    putHold: (row) => void db.sql(PUT_HOLD).run(...HOLDS.columns.map((column) => encode(row[column]))),
    deleteHold: ({ project, key }) => void db.sql("DELETE FROM holds WHERE project = ? AND key = ?").run(project, key),
  };
}
