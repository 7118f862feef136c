import type { StartedLately } from "../../../../core/schedule/started-lately.ts";
import type { UnderwayTask } from "../../../../core/task/rows.ts";
import type { GateTables } from "../../tables.ts";
import type { Database } from "../database.ts";
import type { SqlRow } from "../driver.ts";

const COLUMNS = "t.plan, t.id, t.state, t.mode, t.target, a.kind, a.agent";

/**
 * Two ways to a task that matters: it owns files or works in place; or it has neither, but a live attempt of a run. A
 * definition that cannot be read owns nothing here: it is told where it is read, and holds nobody up.
 */
const UNDERWAY = `
  SELECT ${COLUMNS}, iif(json_valid(d.body), coalesce(json_extract(d.body, '$.files_owned'), '[]'), '[]') AS files_owned
  FROM plans p
  CROSS JOIN tasks t INDEXED BY tasks_underway
    ON t.plan = p.id
    AND (t.state IN ('in_progress', 'claimed_done') OR (t.state = 'pending' AND t.unlanded = 1)) AND (t.owns = 1 OR t.mode = 'in_place')
  CROSS JOIN definitions d ON d.task = t.key
  LEFT JOIN attempts a ON a.plan = t.plan AND a.task = t.id AND a.n = t.attempts
  WHERE p.project = ?
  UNION ALL
  SELECT ${COLUMNS}, '[]'
  FROM plans p
  CROSS JOIN attempts a INDEXED BY attempts_live_of_runs ON a.plan = p.id AND a.kind = 'run' AND a.state <> 'settled'
  CROSS JOIN tasks t ON t.plan = a.plan AND t.id = a.task
  WHERE p.project = ? AND NOT (t.owns = 1 OR t.mode = 'in_place')`;

const STARTED_SINCE = `
  SELECT count(*) AS count, min(a.started_at) AS first_at FROM attempts a INDEXED BY attempts_begun_of_runs
  CROSS JOIN plans p ON p.id = a.plan
  WHERE a.kind = 'run' AND a.started_at > ? AND p.project = ?`;

export function gateTables(db: Database): GateTables {
  return {
    underway: (project) => db.sql(UNDERWAY).all(project, project).map(underwayOf),
    startedSince: (project, since) => db.sql(STARTED_SINCE).get(since, project) as unknown as StartedLately,
  };
}

function underwayOf(raw: SqlRow): UnderwayTask {
  return { ...raw, files_owned: JSON.parse(raw.files_owned as string) } as unknown as UnderwayTask;
}
