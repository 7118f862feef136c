/** Opens the file of a store: made for its owner alone, switched to WAL, and migrated. Safe for many processes at once. */

import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StoreUnavailable } from "../../../ports/store.ts";
import { Database } from "./database.ts";
import { connect } from "./driver.ts";
import { asUnavailable, notAStore } from "./failures.ts";
import { makeFolder } from "./make-folder.ts";
import { MIGRATIONS } from "./migrations/index.ts";

/** Marks the file as ours ("lkst"). */
const APPLICATION_ID = 0x6c6b7374;

/** Pages that one connection keeps (KiB): the load of a large plan would otherwise write its pages twice. */
const CACHE_KIB = 32_768;
/** Pages in the log before they are carried over: the same pages change again and again, and each is carried over once. */
const LOG_PAGES = 4_000;
/** A log that a large load has blown up is cut back to this size (bytes) once it has been carried over. */
const LOG_BYTES_KEPT = 16_777_216;

export async function openDatabase(file: string): Promise<Database> {
  makeFile(file, `the store ${file}`);
  const database = await connectTo(file);
  try {
    database.guarded(() => prepare(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Makes the file with its owner's rights only, where it is new. An existing file must never be opened and closed here: that
 * would drop the locks that this process has on it.
 */
export function makeFile(file: string, what: string): void {
  try {
    makeFolder(dirname(file));
    if (!existsSync(file)) closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !existsSync(file)) throw asUnavailable(error, what);
  }
}

async function connectTo(file: string): Promise<Database> {
  try {
    return new Database(file, await connect(file));
  } catch (error) {
    throw asUnavailable(error, `the store ${file}`);
  }
}

function prepare(database: Database): void {
  database.read(() => refuseForeign(database));
  database.whenFree(() => database.exec("PRAGMA journal_mode = WAL"));
  database.whenFree(() =>
    database.exec(
      `PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${LOG_PAGES};
      PRAGMA journal_size_limit = ${LOG_BYTES_KEPT}`,
    ),
  );
  if (database.whenFree(() => versionOf(database)) < MIGRATIONS.length) migrate(database);
}

/** A file is ours by its mark, or is still empty; one of a newer program is refused by name. */
function refuseForeign(database: Database): void {
  const mark = database.sql("PRAGMA application_id").get()?.application_id;
  const tables = database.sql("SELECT count(*) AS n FROM sqlite_schema").get()?.n;
  if (mark !== APPLICATION_ID && (mark !== 0 || tables !== 0)) throw notAStore(database.file);
  const version = versionOf(database);
  if (version <= MIGRATIONS.length) return;
  const message = `the store ${database.file} has version ${version}, and this lockstep knows ${MIGRATIONS.length}`;
  throw new StoreUnavailable(
    "newer",
    message,
    "Use the newer lockstep that made it, or name another store with --store.",
  );
}

function versionOf(database: Database): number {
  return Number(database.sql("PRAGMA user_version").get()?.user_version);
}

/** All steps in one transaction; whoever comes second finds nothing left to do. */
function migrate(database: Database): void {
  database.write(() => {
    const from = versionOf(database);
    for (const migration of MIGRATIONS.slice(from)) database.exec(migration);
    database.exec(
      `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${Math.max(from, MIGRATIONS.length)}`,
    );
    return { changed: true };
  });
}
