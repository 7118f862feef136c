import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { invariant } from "../../core/assert.ts";
import type { Blobs } from "../../ports/blobs.ts";

/** Parts that are plain on every file system: no separator, no leading dot, so neither `..` nor a hidden file. */
const NAME = /^[a-z][a-z0-9_-]*\/[A-Za-z0-9]{2}(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

/** Blobs as files below `<stateDir>/blobs`, their folders readable by their owner alone. */
export function fileBlobs(stateDir: string): Blobs {
  // Folders are few (two digits each) and made once; asking the disk for each blob would cost more than a small check.
  const made = new Set<string>();
  const path = async (name: string) => {
    invariant(NAME.test(name), `not the name of a blob: ${JSON.stringify(name)}`);
    const file = join(stateDir, "blobs", name);
    const folder = dirname(file);
    if (!made.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    made.add(folder);
    return file;
  };
  return {
    path,
    write: async (name, text) => {
      const file = await path(name);
      await writeFile(file, text, { mode: 0o600 });
      return file;
    },
  };
}
