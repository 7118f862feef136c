import { TASK_STATES } from "../../../../core/task/moves.ts";
import type { DefinitionRow } from "../../../../core/task/rows.ts";
import type { NewTask, TaskTables } from "../../tables.ts";
import { TASKS } from "../codecs.ts";
import type { Database } from "../database.ts";
import type { SqlRow } from "../driver.ts";
import { decodeOrNull, insertRow, updateRow } from "../row-table.ts";
import { decodeDefinition, encodeDefinition } from "../stored-definition.ts";
import { oneOf, type Place } from "../unreadable.ts";
import { insertDependency, keyOf } from "./dependencies.ts";

const TASK = `SELECT ${TASKS.list()} FROM tasks WHERE plan = ? AND id = ?`;

const DEFINITION = `
  SELECT d.body, d.next FROM tasks t CROSS JOIN definitions d ON d.task = t.key WHERE t.plan = ? AND t.id = ?`;

export function taskTables(db: Database): TaskTables {
  return {
    task: (plan, id) => {
      const row = decodeOrNull(TASKS, db.sql(TASK).get(plan, id));
      if (row) oneOf(TASK_STATES, row.state, "state", () => ({ plan, task: id, row: null }));
      return row;
    },
    definition: (plan, id) => {
      const raw = db.sql(DEFINITION).get(plan, id);
      return raw ? definitionOf(raw, { plan, task: id, row: "definition" }) : null;
    },
    insertTasks: (tasks) => insertTasks(db, tasks),
    updateTask: (before, after) => updateRow(db, TASKS, before, after),
    updateDefinition: (plan, id, before, after) => {
      db.sql("UPDATE definitions SET body = ?, next = ? WHERE task = ?").run(
        encodeDefinition(after.body),
        after.next && encodeDefinition(after.next),
        keyOf(db, plan, id),
      );
      const now = cascades(after);
      if (now !== cascades(before))
        db.sql("UPDATE tasks SET cascades = ? WHERE plan = ? AND id = ?").run(now, plan, id);
    },
    tasksOfFile: (plan) =>
      db
        .sql("SELECT id FROM tasks WHERE plan = ? AND origin = 'file' AND retired = 0 ORDER BY natural_key")
        .all(plan)
        .map((row) => String(row.id)),
    slugOwner: (plan, slug) => {
      const found = db.sql("SELECT id FROM tasks WHERE plan = ? AND slug = ? COLLATE NOCASE").get(plan, slug);
      return found ? String(found.id) : null;
    },
  };
}

function definitionOf({ body, next }: SqlRow, place: Place): DefinitionRow {
  return {
    body: decodeDefinition(body as string, place),
    next: next === null ? null : decodeDefinition(next as string, place, "next"),
  };
}

/** Dependencies come last, when the keys of all are known: a task may stand before the ones that it depends on. */
function insertTasks(db: Database, tasks: Iterable<NewTask>): void {
  const keys = new Map<string, number>();
  const dependent: { plan: string; key: number; edges: readonly string[] }[] = [];
  for (const { row, definition, edges } of tasks) {
    const key = insertRow(db, TASKS, row, { cascades: cascades(definition) });
    db.sql("INSERT INTO definitions (task, body, next) VALUES (?, ?, ?)").run(
      key,
      encodeDefinition(definition.body),
      definition.next && encodeDefinition(definition.next),
    );
    keys.set(row.id, key);
    if (edges.length > 0) dependent.push({ plan: row.plan, key, edges });
  }
  for (const { plan, key, edges } of dependent)
    for (const edge of edges) insertDependency(db, key, keys.get(edge) ?? keyOf(db, plan, edge));
}

function cascades({ body }: DefinitionRow): number {
  return body.on_dependency_failed === "cascade" ? 1 : 0;
}
