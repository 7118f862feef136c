import type { PlanTables } from "../../tables.ts";
import { noTallies, TALLIES } from "../../tallies.ts";
import { PLANS } from "../codecs.ts";
import type { Database } from "../database.ts";
import { decodeOrNull, insertRow, updateRow } from "../row-table.ts";

export function planTables(db: Database): PlanTables {
  return {
    plan: (id) => decodeOrNull(PLANS, db.sql(`SELECT ${PLANS.list()} FROM plans WHERE id = ?`).get(id)),
    planNamed: (project, name) =>
      decodeOrNull(
        PLANS,
        db.sql(`SELECT ${PLANS.list()} FROM plans WHERE project = ? AND name = ?`).get(project, name),
      ),
    insertPlan: (row) => {
      insertRow(db, PLANS, row);
      for (const tally of TALLIES) db.sql("INSERT INTO tallies (plan, tally, n) VALUES (?, ?, 0)").run(row.id, tally);
    },
    updatePlan: (before, after) => updateRow(db, PLANS, before, after),
    tallies: (plan) => {
      const tallies = noTallies();
      for (const { tally, n } of db.sql("SELECT tally, n FROM tallies WHERE plan = ?").all(plan))
        tallies[tally as keyof typeof tallies] = Number(n);
      return tallies;
    },
    addTallies: (plan, by) => {
      for (const [tally, n] of Object.entries(by))
        db.sql("UPDATE tallies SET n = n + ? WHERE plan = ? AND tally = ?").run(n, plan, tally);
    },
    lastToken: () => Number(db.sql("SELECT last FROM tokens").get()?.last),
    setLastToken: (token) => void db.sql("UPDATE tokens SET last = ?").run(token),
  };
}
