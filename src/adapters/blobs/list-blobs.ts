import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { KeptBlob } from "../../ports/blobs.ts";

/** See `Blobs.list`; `root` is the folder that all kinds lie in. What goes away meanwhile is left out. */
export async function* listBlobs(root: string, name: string, depth: number): AsyncGenerator<KeptBlob> {
  for (const child of await namesIn(join(root, name))) {
    const below = `${name}/${child}`;
    if (depth > 1) yield* listBlobs(root, below, depth - 1);
    else {
      const size = await sizeOf(join(root, below));
      if (size !== null) yield { name: below, ...size };
    }
  }
}

/** Null when it is not there. */
async function sizeOf(path: string): Promise<Omit<KeptBlob, "name"> | null> {
  const stat = await orNull(lstat(path));
  if (stat === null) return null;
  const total = { bytes: stat.isDirectory() ? 0 : stat.size, changed_at: stat.mtimeMs };
  if (!stat.isDirectory()) return total;
  for (const child of await namesIn(path)) {
    const size = await sizeOf(join(path, child));
    if (size === null) continue;
    total.bytes += size.bytes;
    total.changed_at = Math.max(total.changed_at, size.changed_at);
  }
  return total;
}

/** Nothing for a file, and for what is not there. */
async function namesIn(path: string): Promise<string[]> {
  return (await orNull(readdir(path))) ?? [];
}

async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}
