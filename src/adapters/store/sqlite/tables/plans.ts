import type { Tally } from "../../../../core/task/counters.ts";
import type { PlanTables } from "../../tables.ts";
import { TALLIES } from "../../tallies.ts";
import { PLANS } from "../codecs.ts";
import type { Database } from "../database.ts";
import { decodeOrNull, insertRow, updateRow } from "../row-table.ts";

const INSERT_COUNTER = "INSERT INTO counters (scope, name, n) VALUES (?, ?, ?)";

export function planTables(db: Database): PlanTables {
  return {
    plan: (id) => decodeOrNull(PLANS, db.sql(`SELECT ${PLANS.list()} FROM plans WHERE id = ?`).get(id)),
    planNamed: (project, name) =>
      decodeOrNull(
        PLANS,
        db.sql(`SELECT ${PLANS.list()} FROM plans WHERE project = ? AND name = ?`).get(project, name),
      ),
    // The next event is the first of this plan: it is told in the transaction that inserts it.
    insertPlan: (row) => {
      insertRow(db, PLANS, row);
      for (const tally of TALLIES) db.sql(INSERT_COUNTER).run(row.id, tally, 0);
      const next = Number(db.sql("SELECT coalesce(max(seq), 0) + 1 AS seq FROM events").get()?.seq);
      db.sql(INSERT_COUNTER).run(row.id, "first_event", next);
      db.sql(INSERT_COUNTER).run(row.id, "last_event", next);
    },
    updatePlan: (before, after) => updateRow(db, PLANS, before, after),
    tallies: (plan) => {
      const counters = db.sql("SELECT name, n FROM counters WHERE scope = ?").all(plan);
      const known = new Map(counters.map(({ name, n }) => [name, Number(n)]));
      return Object.fromEntries(TALLIES.map((tally) => [tally, known.get(tally) ?? 0])) as Record<Tally, number>;
    },
    addTallies: (plan, by) => {
      for (const [tally, n] of Object.entries(by))
        db.sql("UPDATE counters SET n = n + ? WHERE scope = ? AND name = ?").run(n, plan, tally);
    },
    lastToken: () => Number(db.sql("SELECT n FROM counters WHERE scope = '' AND name = 'token'").get()?.n),
    setLastToken: (token) => void db.sql("UPDATE counters SET n = ? WHERE scope = '' AND name = 'token'").run(token),
  };
}
