import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * One step after the other: Node's own recursive mkdir never returns where a folder cannot hold any (`/proc`), because it
 * takes the refusal for a missing parent.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
