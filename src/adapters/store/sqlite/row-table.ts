/** How the rows of the core stand in tables: a column for each field, under its own name. */

import { invariant } from "../../../core/assert.ts";
import type { Database } from "./database.ts";
import type { SqlRow, SqlValue } from "./driver.ts";
import { parseColumn, placeOf } from "./unreadable.ts";

/** `plain` is text, a number or null; `flag` is a boolean as 0 or 1; `json` is anything else, or null. */
export type Kind = "plain" | "flag" | "json";

export interface RowTable<Row> {
  name: string;
  keys: (keyof Row & string)[];
  columns: (keyof Row & string)[];
  flags: string[];
  json: string[];
  /** Texts of updates by the columns that they set. */
  updates: Map<string, string>;
  /** The columns as a list for SELECT; a prefix is the table's alias, with its dot. */
  list(prefix?: string): string;
}

/** Says of every field of a row what it is, so that a field which is added to the core cannot be forgotten here. */
export function rowTable<Row extends object>(
  name: string,
  keys: (keyof Row & string)[],
  kinds: Record<keyof Row & string, Kind>,
): RowTable<Row> {
  const columns = Object.keys(kinds) as (keyof Row & string)[];
  const ofKind = (kind: Kind): string[] => columns.filter((column) => kinds[column] === kind);
  const list = (prefix = ""): string => columns.map((column) => `${prefix}"${column}"`).join(", ");
  return { name, keys, columns, flags: ofKind("flag"), json: ofKind("json"), updates: new Map(), list };
}

/** Turns the driver's row, which is nobody else's, into a row of the core. */
export function decode<Row>({ name, flags, json }: RowTable<Row>, raw: SqlRow): Row {
  const row: Record<string, unknown> = raw;
  for (const column of flags) row[column] = raw[column] === 1;
  for (const column of json) row[column] = parseColumn(raw[column], column, () => placeOf(name, raw));
  return row as Row;
}

export function decodeOrNull<Row>(table: RowTable<Row>, raw: SqlRow | undefined): Row | null {
  return raw ? decode(table, raw) : null;
}

export function encode(value: unknown): SqlValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : (value as SqlValue);
}

/** Inserts a row whole and answers its rowid, if it has one; `more` are columns that the table has beside the row. */
export function insertRow<Row>(
  db: Database,
  table: RowTable<Row>,
  row: Row,
  more: Record<string, SqlValue> = {},
): number {
  const values = table.columns.map((column) => encode(row[column]));
  for (const column in more) values.push(more[column]!);
  return Number(insertStatement(db, table, more).run(...values).lastInsertRowid);
}

const insertTexts = new WeakMap<object, string>();

function insertStatement<Row>(db: Database, table: RowTable<Row>, more: Record<string, SqlValue>) {
  let text = insertTexts.get(table);
  if (text === undefined) {
    const columns = [...table.columns, ...Object.keys(more)];
    const names = columns.map((column) => `"${column}"`).join(", ");
    text = `INSERT INTO ${table.name} (${names}) VALUES (${columns.map(() => "?").join(", ")})`;
    insertTexts.set(table, text);
  }
  return db.sql(text);
}

/**
 * Writes the fields that differ, and only them, so that an index which they do not stand in is left alone. `before` must be
 * what the store has: anything else is a lost update, and our own bug. `more` are columns beside the row.
 */
export function updateRow<Row extends { version: number }>(
  db: Database,
  table: RowTable<Row>,
  before: Row,
  after: Row,
  more: Record<string, SqlValue> = {},
): void {
  const changed = table.columns.filter((column) => after[column] !== before[column]);
  const { changes } = db
    .sql(updateText(table, [...changed, ...Object.keys(more)]))
    .run(
      ...changed.map((column) => encode(after[column])),
      ...Object.values(more),
      ...table.keys.map((column) => encode(before[column])),
      before.version,
    );
  invariant(changes === 1, `a row of ${table.name} is not the one that was read`);
}

/** A command changes one of a few sets of columns, so each text is put together once. */
function updateText<Row>({ name, keys, updates }: RowTable<Row>, changed: string[]): string {
  const set = changed.join();
  let text = updates.get(set);
  if (text === undefined) {
    const assignments = changed.map((column) => `"${column}" = ?`).join(", ");
    text = `UPDATE ${name} SET ${assignments} WHERE ${keys.map((key) => `"${key}" = ? AND `).join("")}version = ?`;
    updates.set(set, text);
  }
  return text;
}
