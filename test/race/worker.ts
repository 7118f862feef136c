/** One of the racing processes: takes whatever is ready, ends it one way or another, retries, and loads new revisions. */

import { performance } from "node:perf_hooks";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openSqliteStore } from "../../src/adapters/store/sqlite/sqlite-store.ts";
import type { RowCommand } from "../../src/core/task/commands.ts";
import type { Event } from "../../src/core/task/events.ts";
import * as commands from "../fixtures/commands.ts";
import type { Notes } from "./race-plan.ts";
import { RACE, revision } from "./race-plan.ts";

const [file = "", name = "", start = ""] = process.argv.slice(2);
const notes: Notes = { wins: [], accepted: {}, refused: 0, errors: [], writes: [] };
const store = await openSqliteStore(file, { clock: systemClock });

while (Date.now() < Number(start)) await systemClock.sleep(1);
for (let round = 0; round < RACE.rounds; round++) {
  try {
    await play(round);
  } catch (error) {
    notes.errors.push(String(error));
  }
}
await store.close();
process.stdout.write(JSON.stringify(notes));

/** All processes see the same ready tasks, so most rounds are a race for the same few. */
async function play(round: number): Promise<void> {
  if (round % 50 === 49) return load(`${name}-${round}`);
  if (round % 5 === 4) return retryEnded();
  const [ready] = await store.ready(RACE.plan, 1);
  if (!ready) return retryEnded();
  const task = ready.row.id;
  const claimed = await submit(commands.claim({ task, agent: name, expires_at: Date.now() + 600_000 }));
  const created = claimed?.find((event) => event.type === "attempt.created");
  if (created?.type !== "attempt.created") return;
  const { n, token } = created.data.attempt;
  notes.wins.push(`${task}#${n}`);
  if (round % 3 === 0) await submit(commands.fail({ task, token }));
  else await submit(commands.done({ task, token }));
}

/** Brings back what failed or was handed over, so that there is always something to fight over. */
async function retryEnded(): Promise<void> {
  const [failed] = await store.tasks(RACE.plan, { state: "failed", offset: 0, limit: 1 });
  if (failed) return void (await submit(commands.retry({ task: failed.id })));
  const [waiting] = await store.unlanded(RACE.plan, 1);
  if (waiting) await submit(commands.stop({ task: waiting.row.id }));
}

async function load(hash: string): Promise<void> {
  const answer = await timed(() => store.load(revision(hash), { actor: name }));
  if (!answer.ok) throw new Error(answer.problems.map((problem) => problem.message).join("; "));
  count("plan.load");
}

async function submit(command: RowCommand): Promise<Event[] | null> {
  const answer = await timed(() => store.submit(command, { actor: name }));
  if (answer.ok) count(command.type);
  else notes.refused += 1;
  return answer.ok ? answer.events : null;
}

async function timed<T>(write: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const answer = await write();
  notes.writes.push(performance.now() - from);
  return answer;
}

function count(type: string): void {
  notes.accepted[type] = (notes.accepted[type] ?? 0) + 1;
}
