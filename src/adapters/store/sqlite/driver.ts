/** One small synchronous interface over the two SQLite drivers. Each is loaded only when a store is opened. */

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
export async function connect(file: string): Promise<Connection> {
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
  const builtIn = process.getBuiltinModule("node:sqlite") as BuiltIn | undefined;
  if (builtIn === undefined) throw noDriver(new Error("this Node was built without node:sqlite"));
  const database = new builtIn.DatabaseSync(file, { timeout: 0 });
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
    get inTransaction() {
      return database.isTransaction;
    },
    close: () => database.close(),
  };
}

async function connectAddon(file: string): Promise<Connection> {
  const database = (await addon())(file);
  return {
    exec: (sql) => void database.exec(sql),
    prepare: (sql) => database.prepare(sql) as unknown as Statement,
    get inTransaction() {
      return database.inTransaction;
    },
    close: () => void database.close(),
  };
}

async function addon(): Promise<(file: string) => BetterSqlite.Database> {
  try {
    return (await import("./addon.ts")).loadAddon();
  } catch (error) {
    throw noDriver(error);
  }
}

/** A driver that is missing or does not fit this platform is the machine's doing. */
function noDriver(cause: unknown): StoreUnavailable {
  const hint = `Use Node ${BUILT_IN_SINCE} or later, or install better-sqlite3 (npm install better-sqlite3), which needs a C++ compiler; with --foreground-scripts npm shows why it was not built.`;
  const detail = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
  return new StoreUnavailable("no_driver", `no SQLite driver can be loaded: ${detail}`, hint, { cause });
}
