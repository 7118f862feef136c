/** Reads the lines of a file while another process still writes it. */

import { type FSWatcher, watch } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { LineSplitter } from "./line-splitter.ts";

/** The net below the watcher: file systems and sandboxes may not report changes, and watchers are not without number. */
const NET_MS = 1_000;

/** Where there is a watcher the net costs fifty idle agents some of a core, and seldom catches anything. */
const WATCHED_NET_MS = 5_000;

/** One read. Small enough that hundreds of followers cost nothing. */
const CHUNK_BYTES = 64 * 1024;

/** Whoever writes faster than it can be read is not caught up with: beyond this, what is oldest is left out. */
const BACKLOG_BYTES_MAX = 64 * 1024 * 1024;

export interface Following {
  file: string;
  /** Where the lines begin that are told, bytes; at the beginning unless given. */
  from?: number;
  /** Settles when nothing more will be written; never rejects. */
  ended: Promise<unknown>;
  /** Of a longer line only the beginning is told, bytes; 1 MiB unless given. */
  lineBytesMax?: number | undefined;
  /** Hears every line in its order, without its end; `leftOut` is the number of bytes that it lacks, mostly 0. */
  hear(line: string, leftOut: number): void;
}

/**
 * Tells each line soon after it was written, and resolves when what stood in the file at the end has been told, the last
 * line also without a newline. A file that does not exist has no lines. Rejects for what `hear` throws.
 */
export async function followLines({ file, from = 0, ended, lineBytesMax, hear }: Following): Promise<void> {
  const handle = await openIfThere(file);
  if (handle === null) return;
  const bell = new Bell();
  const watcher = watchFile(file, () => bell.ring());
  const state = { isOver: false };
  ended.then(() => {
    state.isOver = true;
    bell.ring();
  });
  try {
    const splitter = new LineSplitter(hear, lineBytesMax);
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let position = from; ; ) {
      // Looked at before the read: what was written before the end is then read after it.
      const isLast = state.isOver;
      position = await readOn(handle, position, buffer, splitter);
      if (isLast) break;
      await bell.rung(watcher === null ? NET_MS : WATCHED_NET_MS);
    }
    splitter.end();
  } finally {
    watcher?.close();
    await handle.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Reads to what was the end of the file when this was called, so that a fast writer cannot hold it; gives the new position. */
async function readOn(handle: FileHandle, from: number, buffer: Buffer, splitter: LineSplitter): Promise<number> {
  const { size } = await handle.stat();
  let position = from;
  if (size - position > BACKLOG_BYTES_MAX) {
    splitter.skip(size - position - BACKLOG_BYTES_MAX);
    position = size - BACKLOG_BYTES_MAX;
  }
  while (position < size) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - position), position);
    if (bytesRead === 0) break;
    splitter.take(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return position;
}

function watchFile(file: string, changed: () => void): FSWatcher | null {
  try {
    const watcher = watch(file, { persistent: false }, changed);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    // No watcher is left, or the file is gone already: the net reads what there is.
    return null;
  }
}

/** Wakes one sleeper; a ring that nobody heard wakes the next at once. */
class Bell {
  private isRung = false;
  private wake: (() => void) | null = null;

  ring(): void {
    this.isRung = true;
    this.wake?.();
  }

  async rung(msMax: number): Promise<void> {
    if (!this.isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, msMax);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.isRung = false;
    this.wake = null;
  }
}
