/** The same race against a plain read-then-update, as programs without a compare-and-set do it. */

import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { Database } from "../../src/adapters/store/sqlite/database.ts";
import { connect } from "../../src/adapters/store/sqlite/driver.ts";
import type { Notes } from "./race-plan.ts";
import { RACE } from "./race-plan.ts";

const [file = "", name = "", start = ""] = process.argv.slice(2);
const notes: Notes = { wins: [], accepted: {}, refused: 0, errors: [], writes: [] };
const database = new Database(file, await connect(file));

while (Date.now() < Number(start)) await systemClock.sleep(1);
for (let round = 0; round < RACE.rounds; round++) {
  const ready = database.whenFree(() =>
    database.sql("SELECT id, attempts FROM tasks WHERE state = 'pending' ORDER BY id LIMIT 1").get(),
  );
  if (!ready) break;
  const n = Number(ready.attempts) + 1;
  database.whenFree(() =>
    database
      .sql("UPDATE tasks SET state = 'in_progress', attempts = ?, agent = ? WHERE id = ?")
      .run(n, name, ready.id!),
  );
  notes.wins.push(`${ready.id}#${n}`);
}
database.close();
process.stdout.write(JSON.stringify(notes));
