import type { AttemptTables } from "../../tables.ts";
import { ATTEMPTS, LEASES } from "../codecs.ts";
import type { Database } from "../database.ts";
import { decodeOrNull, encode, insertRow, updateRow } from "../row-table.ts";

const PUT_LEASE = `
  INSERT INTO leases (key, holder, token, expires_at, plan, task, kind) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, token = excluded.token, expires_at = excluded.expires_at`;

const INSERT_CHECK = `
  INSERT INTO checks (plan, task, attempt, at, command, kind, outcome, exit_code, tree, log, tail, ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const INSERT_VERDICT = `
  INSERT INTO verdicts (plan, task, attempt, at, "by", word, comments, "commit") VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

export function attemptTables(db: Database): AttemptTables {
  return {
    attempt: (plan, task, n) =>
      decodeOrNull(
        ATTEMPTS,
        db.sql(`SELECT ${ATTEMPTS.list()} FROM attempts WHERE plan = ? AND task = ? AND n = ?`).get(plan, task, n),
      ),
    insertAttempt: (row) => insertRow(db, ATTEMPTS, row),
    updateAttempt: (before, after) => updateRow(db, ATTEMPTS, before, after),
    lease: (key) => decodeOrNull(LEASES, db.sql(`SELECT ${LEASES.list()} FROM leases WHERE key = ?`).get(key)),
    putLease: ({ key, holder, token, expires_at }, { plan, task, kind }) =>
      void db.sql(PUT_LEASE).run(key, encode(holder), token, expires_at, plan, task, kind),
    deleteLease: (key) => void db.sql("DELETE FROM leases WHERE key = ?").run(key),
    insertCheck: ({ plan, task, attempt }, at, { command, kind, outcome, exit_code, tree, log, tail, ms }) =>
      void db.sql(INSERT_CHECK).run(plan, task, attempt, at, command, kind, outcome, exit_code, tree, log, tail, ms),
    insertVerdict: ({ plan, task, attempt }, at, { verdict, by }) =>
      void db.sql(INSERT_VERDICT).run(plan, task, attempt, at, by, verdict.word, verdict.comments, verdict.commit),
  };
}
