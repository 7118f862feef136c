/** SQLite as an addon, for platforms that bring none of their own. */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import BetterSqlite from "better-sqlite3";

/** Whose JavaScript the command line's build takes in: its dozen small files are a seventh of a start. */
export const BUNDLED_VERSION = "12.11.1";

/** Named, because the package searches for it in a dozen places. */
const ADDON = "build/Release/better_sqlite3.node";

/** Loads the addon, and answers what opens a file with it. Throws when it is missing or does not fit this platform. */
export function loadAddon(): (file: string) => BetterSqlite.Database {
  const load = createRequire(import.meta.filename);
  const home = dirname(load.resolve("better-sqlite3/package.json"));
  const nativeBinding = join(home, ADDON);
  if (existsSync(nativeBinding) && versionAt(home) === BUNDLED_VERSION) {
    load(nativeBinding);
    return (file) => new BetterSqlite(file, { timeout: 0, nativeBinding });
  }
  // Another version goes with JavaScript of its own, and an addon that was built elsewhere is found by it alone.
  const Installed = load("better-sqlite3") as typeof BetterSqlite;
  return (file) => new Installed(file, { timeout: 0 });
}

function versionAt(home: string): string {
  return (JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string }).version;
}
