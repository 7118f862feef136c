import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Database } from "../../../src/adapters/store/sqlite/database.ts";
import { connect } from "../../../src/adapters/store/sqlite/driver.ts";
import { asUnavailable } from "../../../src/adapters/store/sqlite/failures.ts";
import { openSqliteStore } from "../../../src/adapters/store/sqlite/sqlite-store.ts";
import type { Store, StoreUnavailable } from "../../../src/ports/store.ts";
import * as commands from "../../fixtures/commands.ts";
import { runChild } from "./children/run-child.ts";
import { manualClock, temporaryDirectory } from "./open-stores.ts";
import { claims, does, loaded, PLAN_ID, verifies } from "./scenario.ts";

const clock = manualClock();

async function unavailable(
  open: Promise<unknown>,
): Promise<Pick<StoreUnavailable, "name" | "code" | "message" | "hint">> {
  const error = await open.then(
    () => null,
    (thrown: StoreUnavailable) => thrown,
  );
  if (error?.name !== "StoreUnavailable") throw error ?? new Error("the store could be used");
  const { name, code, message, hint } = error;
  return { name, code, message, hint };
}

/** Another connection to the same file, for what no store would do. */
async function raw(file: string): Promise<Database> {
  return new Database(file, await connect(file));
}

async function change(file: string, sql: string): Promise<void> {
  const database = await raw(file);
  database.exec(sql);
  database.close();
}

test("a folder that can hold nothing is refused at once", async () => {
  expect(await unavailable(openSqliteStore("/proc/lockstep/store.db", { clock }))).toMatchObject({ code: "io" });
});

test("the file is made with its folder, for its owner alone", async () => {
  const file = join(temporaryDirectory(), "deep", "er", "store.db");
  const store = await openSqliteStore(file, { clock });
  await loaded(store, "1", ["F-1"]);
  for (const path of [file, `${file}-wal`, `${file}-shm`, `${file}.wake`, `${file}.line`])
    expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  await store.close();
});

test("what one process wrote the next one finds", async () => {
  const file = join(temporaryDirectory(), "store.db");
  const first = await openSqliteStore(file, { clock });
  await loaded(first, "1", ["F-1"]);
  await claims(first, "F-1");
  await first.close();
  const second = await openSqliteStore(file, { clock });
  expect((await second.task(PLAN_ID, "F-1"))!).toMatchObject({ row: { state: "in_progress" }, lease: { token: 1 } });
  await second.close();
});

test("the schema is the one that was reviewed", async () => {
  const file = join(temporaryDirectory(), "store.db");
  await (await openSqliteStore(file, { clock })).close();
  const database = await raw(file);
  const rows = database
    .sql("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name")
    .all();
  const version = database.sql("PRAGMA user_version").get()?.user_version;
  database.close();
  const dump = `-- user_version ${version}\n\n${rows.map((row) => `${row.sql};\n`).join("\n")}`;
  await expect(dump).toMatchFileSnapshot("../../golden/schema.sql");
});

test("many processes may make, migrate and write one store at once", async () => {
  const file = join(temporaryDirectory(), "store.db");
  const outputs = await Promise.all(Array.from({ length: 6 }, () => runChild("open-store.ts", file)));
  expect(outputs).toEqual(Array(6).fill("[]\n"));
  const store = await openSqliteStore(file, { clock });
  expect(await store.engines("project")).toHaveLength(6);
  await store.close();
});

test("a store of a newer lockstep is refused by name", async () => {
  const file = join(temporaryDirectory(), "store.db");
  await (await openSqliteStore(file, { clock })).close();
  await change(file, "PRAGMA user_version = 99");
  expect(await unavailable(openSqliteStore(file, { clock }))).toEqual({
    name: "StoreUnavailable",
    code: "newer",
    message: `the store ${file} has version 99, and this lockstep knows 3`,
    hint: "Use the newer lockstep that made it, or name another store with --store.",
  });
});

test("another program's database is refused and left as it is", async () => {
  const file = join(temporaryDirectory(), "other.db");
  await change(file, "CREATE TABLE theirs (x); PRAGMA user_version = 1");
  const before = readFileSync(file);
  expect(await unavailable(openSqliteStore(file, { clock }))).toEqual({
    name: "StoreUnavailable",
    code: "not_a_store",
    message: `the store ${file} is not a store of lockstep`,
    hint: "Name another file with --store, or move this one away.",
  });
  expect(readFileSync(file)).toEqual(before);
});

test("a file that is no database is refused and left as it is", async () => {
  const file = join(temporaryDirectory(), "notes.txt");
  const text = "These are notes, not a database.\n".repeat(40);
  writeFileSync(file, text);
  expect(await unavailable(openSqliteStore(file, { clock }))).toMatchObject({ code: "not_a_store" });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("a folder in the place of the file, and a file in the place of the folder, are told", async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "store.db"));
  expect(await unavailable(openSqliteStore(join(directory, "store.db"), { clock }))).toMatchObject({ code: "io" });
  writeFileSync(join(directory, "file"), "");
  expect(await unavailable(openSqliteStore(join(directory, "file", "store.db"), { clock }))).toMatchObject({
    code: "io",
  });
});

test("a damaged file is told", async () => {
  const file = join(temporaryDirectory(), "store.db");
  const store = await openSqliteStore(file, { clock });
  await loaded(
    store,
    "1",
    Array.from({ length: 200 }, (_, i) => `F-${i}`),
  );
  await store.close();
  truncateSync(file, 16_384);
  expect(await unavailable(readAll(file))).toMatchObject({
    code: "corrupt",
    hint: "Bring it back from a backup, or move it away: a new store is made, and plans can be loaded again.",
  });
});

async function readAll(file: string): Promise<void> {
  const store = await openSqliteStore(file, { clock });
  try {
    await store.tasks(PLAN_ID, { offset: 0, limit: 200 });
  } finally {
    await store.close();
  }
}

test("a store that may not be written is told", async () => {
  const file = join(temporaryDirectory(), "store.db");
  await (await openSqliteStore(file, { clock })).close();
  const database = await raw(file);
  database.exec("PRAGMA query_only = 1");
  const write = () => database.write(() => writesSomething(database));
  expect(await unavailable(attempt(write))).toEqual({
    name: "StoreUnavailable",
    code: "read_only",
    message: `the store ${file} cannot be written (SQLITE_READONLY: attempt to write a readonly database)`,
    hint: "Check the permissions of the file and its folder, and whether the file system is mounted read-only.",
  });
  database.close();
});

test("a full disk is told, and nothing of the transaction is left", async () => {
  const file = join(temporaryDirectory(), "store.db");
  const store = await openSqliteStore(file, { clock });
  const database = await raw(file);
  const pages = database.sql("PRAGMA page_count").get()?.page_count;
  database.exec(`PRAGMA max_page_count = ${pages}`);
  const write = () =>
    database.write(() => {
      for (let i = 0; i < 1_000; i++) writesSomething(database);
      return { changed: true };
    });
  expect(await unavailable(attempt(write))).toMatchObject({
    code: "full",
    message: `the store ${file} is on a full disk (SQLITE_FULL: database or disk is full)`,
    hint: "Free some space; nothing was changed.",
  });
  expect(await store.verify()).toEqual([]);
  database.exec("PRAGMA max_page_count = 100000");
  database.write(() => writesSomething(database));
  database.close();
  await store.close();
});

test("a store that another connection holds is waited for, but not for ever", async () => {
  const file = join(temporaryDirectory(), "store.db");
  await (await openSqliteStore(file, { clock })).close();
  const holder = await raw(file);
  holder.exec("BEGIN IMMEDIATE");
  const waiting = new Database(file, await connect(file), 20);
  expect(await unavailable(attempt(() => waiting.write(() => writesSomething(waiting))))).toEqual({
    name: "StoreUnavailable",
    code: "busy",
    message: `the store ${file} was busy for 0.02 s`,
    hint: "Another process holds it: see who has the file open, and try again.",
  });
  holder.exec("ROLLBACK");
  waiting.write(() => writesSomething(waiting));
  holder.close();
  waiting.close();
});

async function attempt(work: () => unknown): Promise<void> {
  work();
}

function writesSomething(database: Database): { changed: true } {
  database.sql("INSERT INTO engines SELECT hex(randomblob(99)), 'n', 'b', 1, '1', NULL").run();
  return { changed: true };
}

test("errors of the file system are told in the same words", () => {
  const error = (code: string) => Object.assign(new Error("no"), { code, syscall: "open" });
  const codes = ["EROFS", "EACCES", "ENOSPC", "EIO"].map(
    (code) => (asUnavailable(error(code), "it") as StoreUnavailable).code,
  );
  expect(codes).toEqual(["read_only", "read_only", "full", "io"]);
  const own = new TypeError("own bug");
  expect(asUnavailable(own, "it")).toBe(own);
});

test("an error inside a transaction leaves nothing of it", async () => {
  const file = join(temporaryDirectory(), "store.db");
  const store = await openSqliteStore(file, { clock });
  await loaded(store, "1", ["F-1", "F-2"]);
  await change(file, "UPDATE tasks SET version = 7 WHERE id = 'F-1'; DELETE FROM definitions WHERE task = 1");
  await expect(store.submit(commands.claim(), { actor: "test" })).rejects.toThrow(
    "the task's definition was not loaded",
  );
  expect(await claims(store, "F-2")).toBe(1);
  await store.close();
});

const PLANTED = [
  ["UPDATE counters SET n = 5 WHERE name = 'pending'", "plan checkout counts 5 pending tasks, and has 1"],
  [
    "UPDATE tasks SET unmet = 2, dead = 1 WHERE id = 'F-3'",
    "task F-3 counts 2 unmet and 1 dead dependencies, and has 1 and 0",
  ],
  ["UPDATE counters SET n = 1 WHERE name = 'token'", "token 3 was given, and the last one is said to be 1"],
  ["INSERT INTO dependencies VALUES (3, 9)", "task F-3 depends on the task with key 9, which its plan does not have"],
  ["INSERT INTO dependencies VALUES (9, 1)", "dependencies of the task with key 9 stand without it"],
  ["DELETE FROM definitions WHERE task = 3", "task F-3 has no definition"],
  ["INSERT INTO definitions VALUES (9, '{}', NULL)", "the definition of the task with key 9 stands without it"],
  ["UPDATE tasks SET owns = 1 WHERE id = 'F-3'", "task F-3 says that it owns files, and its definition says otherwise"],
  [
    "UPDATE tasks SET cascades = 1 WHERE id = 'F-3'",
    "task F-3 says that it cascades, and its definition says otherwise",
  ],
  ["UPDATE attempts SET state = 'settled' WHERE task = 'F-2'", "task F-2 is in progress without a live attempt"],
  [
    "UPDATE attempts SET state = 'running' WHERE task = 'F-1'",
    "attempt 1 of F-1 is live, and its task is verified at attempt 1",
  ],
  ["UPDATE tasks SET attempts = 4 WHERE id = 'F-1'", "task F-1 counts 4 attempts, and the last one is 1"],
  ["UPDATE attempts SET lease_holder = NULL WHERE task = 'F-2'", "attempt 1 of F-2 is created and has no lease"],
  ["UPDATE attempts SET lease_holder = '{}' WHERE task = 'F-1'", "attempt 1 of F-1 is settled and has a lease"],
  ["UPDATE counters SET n = 7 WHERE name = 'last_event'", "plan checkout says that its last_event is 7, and it is 14"],
  ["UPDATE plans SET items = 3", "plan checkout has numbered 3 items, and has 0"],
] as const;

test.each(PLANTED)("verify finds what %j does", async (sql, sentence) => {
  const file = join(temporaryDirectory(), "store.db");
  const store = await openSqliteStore(file, { clock });
  await someWork(store);
  expect(await store.verify()).toEqual([]);
  await change(file, sql);
  expect(await store.verify()).toContain(sentence);
  await store.close();
});

async function someWork(store: Store): Promise<void> {
  await loaded(store, "1", ["F-1", "F-2", "F-3 < F-2"]);
  await verifies(store, "F-1");
  await does(store, commands.claim({ task: "F-2" }));
}
