import { createHash } from "node:crypto";
import { type BigIntStats, closeSync, constants, lstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { setImmediate as otherWork } from "node:timers/promises";

/** What was read of each path, by path, with the times that it was read under. */
export type FileMemory = Map<string, Remembered>;

interface Remembered {
  stamp: string;
  entry: string;
}

/** A file changed so recently may change again without its times telling: the clock of a file system is coarse. */
const FRESH_NS = 2_000_000_000n;
const NS_PER_MS = 1_000_000n;

const CHUNK_BYTES = 1024 * 1024;
/** Chunks between two pauses in which the process does its other work. */
const CHUNKS_PER_TURN = 8;

const chunk = Buffer.alloc(CHUNK_BYTES);

/** O_NONBLOCK: should a pipe have taken the file's place meanwhile, opening it does not wait for a writer. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * What is at a path, in words that are equal only when it is the same: `file HASH`, `executable HASH`, `link HASH` (of
 * where it points, never followed), `special`, `unreadable`; null when nothing is there any more.
 */
export async function fileEntry(
  file: Buffer,
  name: string,
  before: FileMemory,
  after: FileMemory,
): Promise<string | null> {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return null;
  const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.mode}`;
  const known = before.get(name);
  if (known?.stamp === stamp) {
    after.set(name, known);
    return known.entry;
  }
  const entry = await readEntry(file, stat);
  // Only the change time counts: the other one can be set at will.
  const settled = BigInt(Date.now()) * NS_PER_MS - stat.ctimeNs > FRESH_NS;
  if (settled && entry !== null) after.set(name, { stamp, entry });
  return entry;
}

/** True for an error that says that the path is gone. */
export function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** True for an error that says that the path is there but not for us. */
export function isClosed(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "EACCES" || code === "EPERM" || code === "ELOOP";
}

async function readEntry(file: Buffer, stat: BigIntStats): Promise<string | null> {
  try {
    if (stat.isSymbolicLink()) return `link ${createHash("sha256").update(readlinkSync(file, "buffer")).digest("hex")}`;
    if (!stat.isFile()) return "special";
    return `${(stat.mode & 0o100n) === 0n ? "file" : "executable"} ${await hashContent(file)}`;
  } catch (error) {
    if (isGone(error)) return null;
    if (isClosed(error)) return "unreadable";
    throw error;
  }
}

async function hashContent(file: Buffer): Promise<string> {
  const hash = createHash("sha256");
  const descriptor = openSync(file, READ);
  try {
    for (let chunks = 1; ; chunks += 1) {
      const read = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (read === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, read));
      if (chunks % CHUNKS_PER_TURN === 0) await otherWork();
    }
  } finally {
    closeSync(descriptor);
  }
}
