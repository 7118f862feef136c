import { attemptKey } from "../../../../core/task/handlers/begin-attempt.ts";
import type { AttemptState, Holder, LeaseRow } from "../../../../core/task/rows.ts";
import type { AttemptTables, HeldAttempt } from "../../tables.ts";
import { ATTEMPTS } from "../codecs.ts";
import type { Database } from "../database.ts";
import type { SqlRow, SqlValue } from "../driver.ts";
import { decode, encode, insertRow, updateRow } from "../row-table.ts";
import { oneOf, parseColumn } from "../unreadable.ts";

const ATTEMPT_STATES: readonly AttemptState[] = ["created", "starting", "running", "settled"];

const ATTEMPT = `
  SELECT ${ATTEMPTS.list()}, lease_holder, lease_expires_at FROM attempts WHERE plan = ? AND task = ? AND n = ?`;

const INSERT_CHECK = `
  INSERT INTO checks (plan, task, attempt, at, command, kind, outcome, exit_code, tree, log, tail, ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const INSERT_VERDICT = `
  INSERT INTO verdicts (plan, task, attempt, at, "by", word, comments, "commit") VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

export function attemptTables(db: Database): AttemptTables {
  return {
    attempt: (plan, task, n) => {
      const raw = db.sql(ATTEMPT).get(plan, task, n);
      return raw ? heldOf(raw) : null;
    },
    insertAttempt: ({ attempt, lease }) => insertRow(db, ATTEMPTS, attempt, leaseColumns(lease)),
    updateAttempt: (before, after) =>
      updateRow(
        db,
        ATTEMPTS,
        before.attempt,
        after.attempt,
        after.lease === before.lease ? {} : leaseColumns(after.lease),
      ),
    insertCheck: ({ plan, task, attempt }, at, { command, kind, outcome, exit_code, tree, log, tail, ms }) =>
      void db.sql(INSERT_CHECK).run(plan, task, attempt, at, command, kind, outcome, exit_code, tree, log, tail, ms),
    insertVerdict: ({ plan, task, attempt }, at, { verdict, by }) =>
      void db.sql(INSERT_VERDICT).run(plan, task, attempt, at, by, verdict.word, verdict.comments, verdict.commit),
  };
}

function leaseColumns(lease: LeaseRow | null): Record<string, SqlValue> {
  return { lease_holder: encode(lease?.holder ?? null), lease_expires_at: lease?.expires_at ?? null };
}

function heldOf(raw: SqlRow): HeldAttempt {
  const { lease_holder, lease_expires_at } = raw;
  // Column by column: the driver's rows are slow to copy the rest of, and this is read at every settling.
  const own: SqlRow = {};
  for (const column of ATTEMPTS.columns) own[column] = raw[column]!;
  const attempt = decode(ATTEMPTS, own);
  const { plan, task, n, token } = attempt;
  const place = () => ({ plan, task, row: `attempt ${n}` });
  oneOf(ATTEMPT_STATES, attempt.state, "state", place);
  const holder = parseColumn(lease_holder, "lease_holder", place) as Holder | null;
  if (holder === null) return { attempt, lease: null };
  return { attempt, lease: { key: attemptKey(plan, task, n), holder, token, expires_at: Number(lease_expires_at) } };
}
