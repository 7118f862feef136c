import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { Database } from "../../src/adapters/store/sqlite/database.ts";
import { connect } from "../../src/adapters/store/sqlite/driver.ts";
import { openSqliteStore } from "../../src/adapters/store/sqlite/sqlite-store.ts";
import type { Event } from "../../src/core/task/events.ts";
import type { Store } from "../../src/ports/store.ts";
import type { Notes } from "./race-plan.ts";
import { RACE, revision } from "./race-plan.ts";

/** All begin at once, when the slowest has started (ms). */
const HEAD_START_MS = 4_000;
/** No write may take longer, however busy the machine is. */
const LONGEST_MS = 2_000;

test("eight processes race claim, done, fail, retry and load: one winner each, no update lost, no lock error", async () => {
  const file = temporaryStore();
  const store = await openSqliteStore(file, { clock: systemClock });
  onTestFinished(() => store.close());
  await store.load(revision("first"), { actor: "test" });

  const notes = await race("worker.ts", file);

  expect(notes.flatMap((note) => note.errors)).toEqual([]);
  const wins = notes.flatMap((note) => note.wins);
  expect(new Set(wins).size).toBe(wins.length);
  const events = await everything(store);
  expect(countOf(events, "attempt.created")).toBe(wins.length);
  expect(countOf(events, "attempt.settled")).toBe(wins.length);
  expect(countOf(events, "plan.loaded") - 1).toBe(accepted(notes, "plan.load"));
  expect(countOf(events, "task.requeued")).toBe(accepted(notes, "task.retry") + accepted(notes, "attempt.stop"));
  expect(await attemptsOf(store)).toBe(wins.length);
  expect((await store.plan(RACE.plan))!.revision - 1).toBe(accepted(notes, "plan.load"));
  expect(await store.verify()).toEqual([]);

  const writes = notes.flatMap((note) => note.writes).sort((a, b) => a - b);
  expect(writes.at(-1)).toBeLessThan(LONGEST_MS);
  const refused = notes.reduce((sum, note) => sum + note.refused, 0);
  console.log(`race: ${wins.length} claims won, ${refused} commands refused, ${timesOf(writes)}`);
}, 60_000);

test("the same race on a plain read-then-update has two winners", async () => {
  const file = temporaryStore();
  const database = new Database(file, await connect(file));
  database.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE tasks (id INTEGER PRIMARY KEY, state TEXT, attempts INTEGER, agent TEXT)",
  );
  for (let i = 0; i < RACE.rounds * RACE.processes; i++)
    database.sql("INSERT INTO tasks (state, attempts) VALUES ('pending', 0)").run();
  database.close();

  const notes = await race("rival.ts", file);

  const wins = notes.flatMap((note) => note.wins);
  const twice = wins.length - new Set(wins).size;
  console.log(`rival: ${wins.length} claims won, ${twice} of them twice or more`);
  expect(twice).toBeGreaterThan(0);
}, 60_000);

function temporaryStore(): string {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-race-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "store.db");
}

async function race(program: string, file: string): Promise<Notes[]> {
  const start = Date.now() + HEAD_START_MS;
  const names = Array.from({ length: RACE.processes }, (_, i) => `w${i}`);
  return Promise.all(names.map((name) => runWorker(program, file, name, String(start))));
}

async function runWorker(program: string, ...argv: string[]): Promise<Notes> {
  const script = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
  return JSON.parse(output) as Notes;
}

async function everything(store: Store): Promise<Event[]> {
  const all: Event[] = [];
  for (let page = await store.events({ after: 0, limit: 200 }); page.length > 0; ) {
    all.push(...page);
    page = await store.events({ after: page.at(-1)!.seq, limit: 200 });
  }
  return all;
}

async function attemptsOf(store: Store): Promise<number> {
  const rows = await store.tasks(RACE.plan, { offset: 0, limit: RACE.tasks });
  return rows.reduce((sum, row) => sum + row.attempts, 0);
}

function countOf(events: Event[], type: Event["type"]): number {
  return events.filter((event) => event.type === type).length;
}

function accepted(notes: Notes[], type: string): number {
  return notes.reduce((sum, note) => sum + (note.accepted[type] ?? 0), 0);
}

function timesOf(writes: number[]): string {
  const at = (share: number) => (writes[Math.floor(writes.length * share)] ?? 0).toFixed(1);
  return `${writes.length} writes: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${writes.at(-1)?.toFixed(1)} ms`;
}
