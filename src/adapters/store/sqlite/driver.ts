/** One small synchronous interface over the two SQLite drivers. Each is loaded only when a store is opened. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type BetterSqlite from "better-sqlite3";
import { StoreUnavailable } from "../../../ports/store.ts";

export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

export interface Statement {
  run(...values: SqlValue[]): { changes: number; lastInsertRowid: number };
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
  iterate(...values: SqlValue[]): IterableIterator<SqlRow>;
}

export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  readonly inTransaction: boolean;
  close(): void;
}

/** From this version on the platform's own SQLite is used; earlier ones call theirs experimental. */
const BUILT_IN_SINCE = 24;

/** Opens the file, which is made when it does not exist. Neither driver waits for locks by itself. */
export function connect(file: string): Connection {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= BUILT_IN_SINCE ? connectBuiltIn(file) : connectAddon(file);
}

/** What is used of `node:sqlite`, which the types of the oldest supported platform do not have. */
interface BuiltInDatabase {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  readonly isTransaction: boolean;
  close(): void;
}

interface BuiltIn {
  DatabaseSync: new (file: string, options: { timeout: number }) => BuiltInDatabase;
}

function connectBuiltIn(file: string): Connection {
  const { DatabaseSync } = load<BuiltIn>("node:sqlite");
  const database = new DatabaseSync(file, { timeout: 0 });
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
    get inTransaction() {
      return database.isTransaction;
    },
    close: () => database.close(),
  };
}

function connectAddon(file: string): Connection {
  const Database = load<typeof BetterSqlite>("better-sqlite3");
  const addon = addonFile();
  const database = new Database(file, { timeout: 0, ...(addon === null ? {} : { nativeBinding: addon }) });
  return {
    exec: (sql) => void database.exec(sql),
    prepare: (sql) => database.prepare(sql) as unknown as Statement,
    get inTransaction() {
      return database.inTransaction;
    },
    close: () => void database.close(),
  };
}

/** Where the addon was built. Named, because searching for it in a dozen places is a tenth of a command's start. */
function addonFile(): string | null {
  const file = join(dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json")), ADDON);
  return existsSync(file) ? file : null;
}

const ADDON = "build/Release/better_sqlite3.node";

/** A driver that is missing or does not fit this platform is the machine's doing. */
function load<T>(name: string): T {
  try {
    return createRequire(import.meta.url)(name) as T;
  } catch (error) {
    const hint = `Use Node ${BUILT_IN_SINCE} or later, or install better-sqlite3 (npm install better-sqlite3), which needs a C++ compiler; with --foreground-scripts npm shows why it was not built.`;
    const detail = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new StoreUnavailable("no_driver", `no SQLite driver can be loaded: ${detail}`, hint, { cause: error });
  }
}
