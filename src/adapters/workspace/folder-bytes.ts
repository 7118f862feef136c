import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isGone } from "./file-entry.ts";

/** Size of all files below a path, links not followed. What goes away meanwhile, or cannot be read, counts nothing. */
export async function folderBytes(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await entriesOf(path)) {
    const below = join(path, entry.name);
    bytes += entry.isDirectory() ? await folderBytes(below) : await fileBytes(below);
  }
  return bytes;
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isGone(error) || (error as NodeJS.ErrnoException).code === "EACCES") return [];
    throw error;
  }
}

async function fileBytes(path: string): Promise<number> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (isGone(error)) return 0;
    throw error;
  }
}
