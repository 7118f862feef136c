/** Agents report with `lockstep self`, also where lockstep is not installed on the machine's PATH. */

import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** The environment with a `lockstep` of this very version on its PATH, before any other. */
export function withShim(env: NodeJS.ProcessEnv, dir: string): Record<string, string> {
  const shim = shimIn(dir);
  const bin = dirname(shim);
  mkdirSync(bin, { recursive: true, mode: 0o700 });
  writeFileSync(shim, script(), { mode: 0o700 });
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const path = env["PATH"] === undefined || env["PATH"] === "" ? "/usr/bin:/bin" : env["PATH"];
  return { ...Object.fromEntries(given), PATH: `${bin}${delimiter}${path}` };
}

/** Where that `lockstep` stands. */
export function shimIn(dir: string): string {
  return join(dir, "bin", "lockstep");
}

/** The command line lies beside the program that is running. */
function script(): string {
  const main = join(dirname(process.argv[1]!), "main.cjs");
  return `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(main)} "$@"\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
