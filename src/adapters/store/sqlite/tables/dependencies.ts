import type { DependencyState } from "../../../../core/task/loaded.ts";
import type { DependencyTables } from "../../tables.ts";
import type { Database } from "../database.ts";
import { LIMIT } from "../limit.ts";

/** A dependency that has ended for good without being satisfied; as `isDead` of the core says. */
export const IS_DEAD = "(d.satisfied = 0 AND d.state IN ('failed', 'skipped', 'cancelled'))";

const RELIED = `
  SELECT t.id FROM dependencies e CROSS JOIN tasks t ON t.plan = e.plan AND t.id = e.task
  WHERE e.plan = ? AND e.depends_on = ?
    AND (t.state IN ('in_progress', 'claimed_done', 'verified') OR (t.state = 'pending' AND t.unlanded = 1))
  ORDER BY t.natural_key ${LIMIT}`;

const MOVE_DEPENDANTS = `
  UPDATE tasks SET unmet = unmet + ?, dead = dead + ?
  WHERE plan = ? AND id IN (SELECT task FROM dependencies WHERE plan = ? AND depends_on = ?)`;

const RECOUNT = `
  UPDATE tasks SET (unmet, dead) = (
    SELECT count(*) FILTER (WHERE d.satisfied = 0), count(*) FILTER (WHERE ${IS_DEAD})
    FROM dependencies e CROSS JOIN tasks d ON d.plan = e.plan AND d.id = e.depends_on
    WHERE e.plan = tasks.plan AND e.task = tasks.id)
  WHERE plan = ? AND revision = ?`;

export function dependencyTables(db: Database): DependencyTables {
  const insert = (plan: string, task: string, edge: string): void =>
    void db.sql("INSERT INTO dependencies (plan, task, depends_on) VALUES (?, ?, ?)").run(plan, task, edge);
  return {
    edges: (plan, task) =>
      db
        .sql("SELECT depends_on FROM dependencies WHERE plan = ? AND task = ?")
        .all(plan, task)
        .map((row) => String(row.depends_on)),
    rewire: (plan, task, edges) => {
      db.sql("DELETE FROM dependencies WHERE plan = ? AND task = ?").run(plan, task);
      for (const edge of edges) insert(plan, task, edge);
    },
    dependency: (plan, id) => {
      const raw = db.sql("SELECT id, state, satisfied FROM tasks WHERE plan = ? AND id = ?").get(plan, id);
      return raw ? ({ ...raw, satisfied: raw.satisfied === 1 } as unknown as DependencyState) : null;
    },
    relied: (plan, id, limit) =>
      db
        .sql(RELIED)
        .all(plan, id, limit)
        .map((row) => String(row.id)),
    moveDependants: (plan, id, { unmet, dead }) => void db.sql(MOVE_DEPENDANTS).run(unmet, dead, plan, plan, id),
    recount: (plan, revision) => void db.sql(RECOUNT).run(plan, revision),
  };
}
