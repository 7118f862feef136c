import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a folder of an adapter's own in the temporary directory of its attempt; only its user can look into it. */
export function ownFolder(env: Readonly<Record<string, string>>, name: string): string {
  return mkdtempSync(join(env["TMPDIR"] || tmpdir(), `${name}-`));
}
