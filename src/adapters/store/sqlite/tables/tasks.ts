import type { DefinitionRow } from "../../../../core/task/rows.ts";
import type { TaskTables } from "../../tables.ts";
import { TASKS } from "../codecs.ts";
import type { Database } from "../database.ts";
import type { SqlRow } from "../driver.ts";
import { decodeOrNull, insertRow, updateRow } from "../row-table.ts";

export function taskTables(db: Database): TaskTables {
  return {
    task: (plan, id) =>
      decodeOrNull(TASKS, db.sql(`SELECT ${TASKS.list()} FROM tasks WHERE plan = ? AND id = ?`).get(plan, id)),
    definition: (plan, id) => {
      const raw = db.sql("SELECT body, next FROM definitions WHERE plan = ? AND task = ?").get(plan, id);
      return raw ? definitionOf(raw) : null;
    },
    insertTask: (row, definition, edges) => {
      insertRow(db, TASKS, row, { cascades: cascades(definition) });
      db.sql("INSERT INTO definitions (plan, task, body, next) VALUES (?, ?, ?, ?)").run(
        row.plan,
        row.id,
        JSON.stringify(definition.body),
        definition.next && JSON.stringify(definition.next),
      );
      for (const edge of edges)
        db.sql("INSERT INTO dependencies (plan, task, depends_on) VALUES (?, ?, ?)").run(row.plan, row.id, edge);
    },
    updateTask: (before, after) => updateRow(db, TASKS, before, after),
    updateDefinition: (plan, id, before, after) => {
      db.sql("UPDATE definitions SET body = ?, next = ? WHERE plan = ? AND task = ?").run(
        JSON.stringify(after.body),
        after.next && JSON.stringify(after.next),
        plan,
        id,
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

function definitionOf({ body, next }: SqlRow): DefinitionRow {
  return { body: JSON.parse(body as string), next: next === null ? null : JSON.parse(next as string) };
}

function cascades({ body }: DefinitionRow): number {
  return body.on_dependency_failed === "cascade" ? 1 : 0;
}
