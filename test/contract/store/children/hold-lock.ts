/** Takes the lock that is named, says so, and keeps it until it is killed or told to end. */

import { sqliteLocks } from "../../../../src/adapters/store/sqlite/sqlite-locks.ts";

const [file = ""] = process.argv.slice(2);
const release = await sqliteLocks().acquire(file, 0);
process.stdout.write(release ? "held\n" : "refused\n");
process.stdin.once("data", () => {
  release?.();
  process.stdout.write("released\n");
  process.exit(0);
});
