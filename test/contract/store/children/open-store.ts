/** Opens the store that is named, and says so. */

import { systemClock } from "../../../../src/adapters/clock/system-clock.ts";
import { openSqliteStore } from "../../../../src/adapters/store/sqlite/sqlite-store.ts";

const [file = ""] = process.argv.slice(2);
const store = await openSqliteStore(file, { clock: systemClock });
await store.setEngine(
  "project",
  { node: String(process.pid), boot: "b", pid: process.pid, start: "1", plan: null },
  true,
);
process.stdout.write(`${JSON.stringify(await store.verify())}\n`);
await store.close();
