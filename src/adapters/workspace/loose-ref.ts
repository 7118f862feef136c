import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isGone } from "./file-entry.ts";

/** Where a ref stands that is a file of its own, as one is that moved lately; null where it is not: then git has to be asked. */
export function looseRef(commonDir: string, ref: string): string | null {
  return readLine(join(commonDir, ref));
}

/** The text of a small file without its last line break. Agents are at work: it may go away at any moment. */
export function readLine(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trimEnd();
  } catch (error) {
    if (isGone(error) || (error as NodeJS.ErrnoException).code === "EISDIR") return null;
    throw error;
  }
}
