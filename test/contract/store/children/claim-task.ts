/** Claims a task of the store that is named. */

import { systemClock } from "../../../../src/adapters/clock/system-clock.ts";
import { openSqliteStore } from "../../../../src/adapters/store/sqlite/sqlite-store.ts";
import { claim } from "../../../fixtures/commands.ts";

const [file = "", task = ""] = process.argv.slice(2);
const store = await openSqliteStore(file, { clock: systemClock });
const answer = await store.submit(claim({ task }), { actor: "child" });
await store.close();
if (!answer.ok) throw new Error(answer.rejection.message);
