/** Rows that no command decides on: cached configurations, and who runs which engine. */

import type { EngineRow } from "../../../ports/store.ts";
import type { Database } from "./database.ts";

const PUT_CONFIG = `
  INSERT INTO configs (project, hash, body) VALUES (?, ?, ?)
  ON CONFLICT (project) DO UPDATE SET hash = excluded.hash, body = excluded.body`;

const PUT_ENGINE = `
  INSERT INTO engines (project, node, boot, pid, start, plan) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, node)
  DO UPDATE SET boot = excluded.boot, pid = excluded.pid, start = excluded.start, plan = excluded.plan`;

/** Whoever has taken the engine over since stays. */
const DELETE_ENGINE = "DELETE FROM engines WHERE project = ? AND node = ? AND boot = ? AND pid = ? AND start = ?";

export function cachedConfig(db: Database, project: string, hash: string): unknown {
  const raw = db.sql("SELECT body FROM configs WHERE project = ? AND hash = ?").get(project, hash);
  return raw ? JSON.parse(raw.body as string) : null;
}

/** Only the newest one of a project is kept. */
export function cacheConfig(db: Database, project: string, hash: string, config: unknown): void {
  db.write(() => {
    db.sql(PUT_CONFIG).run(project, hash, JSON.stringify(config));
    return { changed: true };
  });
}

export function setEngine(db: Database, project: string, engine: EngineRow, running: boolean): void {
  const { node, boot, pid, start, plan } = engine;
  db.write(() => {
    if (running) db.sql(PUT_ENGINE).run(project, node, boot, pid, start, plan);
    else db.sql(DELETE_ENGINE).run(project, node, boot, pid, start);
    return { changed: true };
  });
}

export function engines(db: Database, project: string): EngineRow[] {
  return db
    .sql("SELECT node, boot, pid, start, plan FROM engines WHERE project = ? ORDER BY node")
    .all(project)
    .map((raw) => ({ ...raw }) as unknown as EngineRow);
}
