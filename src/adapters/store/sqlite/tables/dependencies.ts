import { invariant } from "../../../../core/assert.ts";
import type { DependencyState } from "../../../../core/task/loaded.ts";
import type { DependencyTables } from "../../tables.ts";
import type { Database } from "../database.ts";
import { LIMIT } from "../limit.ts";

/** A dependency that has ended for good without being satisfied; as `isDead` of the core says. */
export const IS_DEAD = "(d.satisfied = 0 AND d.state IN ('failed', 'skipped', 'cancelled'))";

const EDGES = `
  SELECT d.id FROM tasks t CROSS JOIN dependencies e ON e.task = t.key CROSS JOIN tasks d ON d.key = e.depends_on
  WHERE t.plan = ? AND t.id = ?`;

const RELIED = `
  SELECT t.id FROM tasks d CROSS JOIN dependencies e ON e.depends_on = d.key CROSS JOIN tasks t ON t.key = e.task
  WHERE d.plan = ? AND d.id = ?
    AND (t.state IN ('in_progress', 'claimed_done', 'verified') OR (t.state = 'pending' AND t.unlanded = 1))
  ORDER BY t.natural_key ${LIMIT}`;

const MOVE_DEPENDANTS = `
  UPDATE tasks SET unmet = unmet + ?, dead = dead + ?
  WHERE key IN (
    SELECT e.task FROM tasks d CROSS JOIN dependencies e ON e.depends_on = d.key WHERE d.plan = ? AND d.id = ?)`;

const RECOUNT = `
  UPDATE tasks SET (unmet, dead) = (
    SELECT count(*) FILTER (WHERE d.satisfied = 0), count(*) FILTER (WHERE ${IS_DEAD})
    FROM dependencies e CROSS JOIN tasks d ON d.key = e.depends_on WHERE e.task = tasks.key)
  WHERE plan = ? AND revision = ?`;

export function dependencyTables(db: Database): DependencyTables {
  return {
    edges: (plan, task) =>
      db
        .sql(EDGES)
        .all(plan, task)
        .map((row) => String(row.id)),
    rewire: (plan, task, edges) => {
      const key = keyOf(db, plan, task);
      db.sql("DELETE FROM dependencies WHERE task = ?").run(key);
      for (const edge of edges) insertDependency(db, key, keyOf(db, plan, edge));
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
    moveDependants: (plan, id, { unmet, dead }) => void db.sql(MOVE_DEPENDANTS).run(unmet, dead, plan, id),
    recount: (plan, revision) => void db.sql(RECOUNT).run(plan, revision),
  };
}

/** By what a task's definition and its dependencies know it. */
export function keyOf(db: Database, plan: string, id: string): number {
  const found = db.sql("SELECT key FROM tasks WHERE plan = ? AND id = ?").get(plan, id);
  invariant(found, `there is no task ${id}`);
  return Number(found.key);
}

export function insertDependency(db: Database, task: number, dependsOn: number): void {
  db.sql("INSERT INTO dependencies (task, depends_on) VALUES (?, ?)").run(task, dependsOn);
}
