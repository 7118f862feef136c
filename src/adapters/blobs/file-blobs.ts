import { mkdirSync, statSync } from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { invariant } from "../../core/assert.ts";
import type { Blobs } from "../../ports/blobs.ts";
import { listBlobs } from "./list-blobs.ts";

/** Parts that are plain on every file system: no separator, no leading dot, so neither `..` nor a hidden file. */
const NAME = /^[a-z][a-z0-9_-]*\/[A-Za-z0-9]{2}(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

/** Blobs as files below `<stateDir>/blobs`, their folders readable by their owner alone. */
export function fileBlobs(stateDir: string): Blobs {
  // Folders are few (two digits each) and made once; asking the disk for each blob would cost more than a small check.
  const made = new Set<string>();
  const fileOf = (name: string): string => {
    invariant(NAME.test(name), `not the name of a blob: ${JSON.stringify(name)}`);
    return join(stateDir, "blobs", name);
  };
  const path = async (name: string) => {
    const file = fileOf(name);
    const folder = dirname(file);
    if (!made.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    made.add(folder);
    return file;
  };
  return {
    path,
    find: async (name) => {
      const file = fileOf(name);
      return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : null;
    },
    end: async (name, bytes) => {
      const file = fileOf(name);
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      if (size === undefined) return null;
      const handle = await open(file, "r");
      try {
        const buffer = Buffer.alloc(Math.min(size, bytes));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
        return buffer.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    },
    write: async (name, text) => {
      const file = await path(name);
      await writeFile(file, text, { mode: 0o600 });
      return file;
    },
    // A file that no blob can be named after is none of ours.
    list: async function* (kind, depth) {
      for await (const kept of listBlobs(join(stateDir, "blobs"), kind, depth)) if (NAME.test(kept.name)) yield kept;
    },
    remove: (name) => rm(fileOf(name), { recursive: true, force: true }),
  };
}
