/** Exact queries beside every maintained counter and every tie between rows. Slow; for `doctor` and for tests. */

import { TASK_STATES } from "../../../core/task/moves.ts";
import type { Database } from "./database.ts";
import { IS_DEAD } from "./tables/dependencies.ts";

/** Columns of JSON by their table, and what says whose row it is. */
const JSON_COLUMNS: readonly [table: string, columns: readonly string[], place: string][] = [
  ["plans t", ["policy"], "'plan ' || t.name"],
  ["definitions d JOIN tasks t ON t.key = d.task", ["d.body", "d.next"], "'the definition of task ' || t.id"],
  [
    "attempts t",
    ["process", "stop", "outside", "foreseen", "usage", "lease_holder"],
    "'attempt ' || t.n || ' of task ' || t.task",
  ],
  ["landings t", ["holder", '"check"', "passed"], "'the landing on ' || t.target"],
  ["items t", ["options"], "'item ' || t.id"],
  ["events t", ["data"], "'event ' || t.seq"],
];

const UNREADABLE = JSON_COLUMNS.flatMap(([table, columns, place]) =>
  columns.map(
    (column) => `
   SELECT format('%s: column %s is no JSON', ${place}, '${column.replace(/^d\./, "")}') AS sentence
   FROM ${table} WHERE ${column} IS NOT NULL AND NOT json_valid(${column})`,
  ),
);

const ILLEGAL_STATES = `
   SELECT format('task %s: no task is in a state %s', id, state) AS sentence FROM tasks
   WHERE state NOT IN (${TASK_STATES.map((state) => `'${state}'`).join(", ")})`;

/** Each query yields sentences; none when all is well. */
const QUERIES: readonly string[] = [
  ...UNREADABLE,
  ILLEGAL_STATES,
  `WITH exact (plan, tally, n) AS (
     SELECT plan, state, count(*) FROM tasks GROUP BY plan, state
     UNION ALL SELECT plan, 'retired_done', count(*) FROM tasks WHERE retired = 1 AND satisfied = 1 GROUP BY plan
     UNION ALL SELECT plan, 'satisfied_skips', count(*) FROM tasks WHERE state = 'skipped' AND satisfied = 1 GROUP BY plan
     UNION ALL SELECT plan, 'retired', count(*) FROM tasks WHERE retired = 1 GROUP BY plan)
   SELECT format('plan %s counts %d %s tasks, and has %d', p.name, c.n, c.name, coalesce(e.n, 0)) AS sentence
   FROM counters c JOIN plans p ON p.id = c.scope LEFT JOIN exact e ON e.plan = c.scope AND e.tally = c.name
   WHERE c.name NOT IN ('first_event', 'last_event') AND c.n <> coalesce(e.n, 0)`,
  `WITH exact (plan, first_event, last_event) AS (
     SELECT plan, min(seq), max(seq) FROM events WHERE plan IS NOT NULL GROUP BY plan)
   SELECT format('plan %s says that its %s is %d, and it is %d', p.name, c.name, c.n, iif(c.name = 'first_event', e.first_event, e.last_event)) AS sentence
   FROM counters c JOIN plans p ON p.id = c.scope JOIN exact e ON e.plan = c.scope
   WHERE c.name IN ('first_event', 'last_event') AND c.n <> iif(c.name = 'first_event', e.first_event, e.last_event)`,
  `WITH exact (plan, id, unmet, dead) AS (
     SELECT t.plan, t.id, count(d.id) FILTER (WHERE d.satisfied = 0), count(d.id) FILTER (WHERE ${IS_DEAD})
     FROM tasks t LEFT JOIN dependencies e ON e.task = t.key
     LEFT JOIN tasks d ON d.key = e.depends_on GROUP BY t.plan, t.id)
   SELECT format('task %s counts %d unmet and %d dead dependencies, and has %d and %d', t.id, t.unmet, t.dead, e.unmet, e.dead) AS sentence
   FROM tasks t JOIN exact e ON e.plan = t.plan AND e.id = t.id WHERE t.unmet <> e.unmet OR t.dead <> e.dead`,
  `SELECT format('task %s depends on the task with key %d, which its plan does not have', t.id, e.depends_on) AS sentence
   FROM dependencies e JOIN tasks t ON t.key = e.task LEFT JOIN tasks d ON d.key = e.depends_on AND d.plan = t.plan
   WHERE d.id IS NULL`,
  `SELECT format('dependencies of the task with key %d stand without it', e.task) AS sentence
   FROM dependencies e LEFT JOIN tasks t ON t.key = e.task WHERE t.id IS NULL`,
  `SELECT format('task %s has no definition', t.id) AS sentence
   FROM tasks t LEFT JOIN definitions d ON d.task = t.key WHERE d.task IS NULL`,
  `SELECT format('the definition of the task with key %d stands without it', d.task) AS sentence
   FROM definitions d LEFT JOIN tasks t ON t.key = d.task WHERE t.id IS NULL`,
  `SELECT format('task %s says that it %s files, and its definition says otherwise', t.id, iif(t.owns, 'owns', 'owns no')) AS sentence
   FROM tasks t JOIN definitions d ON d.task = t.key
   WHERE json_valid(d.body) AND t.owns <> (coalesce(json_array_length(d.body, '$.files_owned'), 0) > 0)`,
  `SELECT format('task %s says that it %s, and its definition says otherwise', t.id, iif(t.cascades, 'cascades', 'does not cascade')) AS sentence
   FROM tasks t JOIN definitions d ON d.task = t.key
   WHERE json_valid(d.body) AND t.cascades <> (coalesce(json_extract(d.body, '$.on_dependency_failed'), 'wait') = 'cascade')`,
  `SELECT format('task %s is in progress without a live attempt', t.id) AS sentence
   FROM tasks t LEFT JOIN attempts a ON a.plan = t.plan AND a.task = t.id AND a.n = t.attempts AND a.state <> 'settled'
   WHERE t.state = 'in_progress' AND a.n IS NULL`,
  `SELECT format('attempt %d of %s is live, and its task is %s at attempt %d', a.n, a.task, t.state, t.attempts) AS sentence
   FROM attempts a JOIN tasks t ON t.plan = a.plan AND t.id = a.task
   WHERE a.state <> 'settled' AND (t.state <> 'in_progress' OR t.attempts <> a.n)`,
  `SELECT format('task %s counts %d attempts, and the last one is %d', t.id, t.attempts, coalesce(max(a.n), 0)) AS sentence
   FROM tasks t LEFT JOIN attempts a ON a.plan = t.plan AND a.task = t.id
   GROUP BY t.plan, t.id HAVING t.attempts <> coalesce(max(a.n), 0)`,
  `SELECT format('attempt %d of %s is %s and has %s', n, task, state, iif(lease_holder IS NULL, 'no lease', 'a lease')) AS sentence
   FROM attempts WHERE (state = 'settled') <> (lease_holder IS NULL)`,
  `SELECT format('token %d was given, and the last one is said to be %d', given.token, c.n) AS sentence
   FROM counters c, (SELECT max(token) AS token FROM (SELECT token FROM attempts UNION ALL SELECT token FROM landings)) given
   WHERE c.scope = '' AND c.name = 'token' AND given.token > c.n`,
  `SELECT format('plan %s has numbered %d items, and has %d', p.name, p.items, count(i.id)) AS sentence
   FROM plans p LEFT JOIN items i ON i.plan = p.id GROUP BY p.id HAVING p.items <> count(i.id)`,
  `SELECT format('the file: %s', quick_check) AS sentence FROM pragma_quick_check WHERE quick_check <> 'ok'`,
];

/** Sentences that a broken store may yield at most: a person reads them. */
const SENTENCES_MAX = 1_000;

export function verify(db: Database): string[] {
  const all = QUERIES.flatMap((sql) =>
    db
      .sql(`${sql} LIMIT ${SENTENCES_MAX}`)
      .all()
      .map((raw) => String(raw.sentence)),
  );
  return all.slice(0, SENTENCES_MAX);
}
