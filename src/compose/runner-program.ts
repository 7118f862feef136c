import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { invariant } from "../core/assert.ts";

/** Where the runner's program lies: beside the command line, below the library, or built from these sources. */
const PLACES = ["./runner.cjs", "./cli/runner.cjs", "../../dist/cli/runner.cjs"];

/** Absolute path of the program that holds one attempt's agent. */
export function runnerProgram(): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((file) => existsSync(file));
  invariant(found, "the runner's program was not built");
  return found;
}
