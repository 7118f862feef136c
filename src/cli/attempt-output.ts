/** A file that an attempt leaves, as it stands or as it grows. */

import { closeSync, openSync, readSync, watch } from "node:fs";
import type { EngineContext } from "../engine/context.ts";
import type { Changes } from "../engine/wait.ts";
import { watchChanges } from "../engine/wait.ts";

/** Read, and told, at once. */
const CHUNK_BYTES = 64 * 1024;

/** How often a follower looks by itself: not every file system tells when a file has grown. */
const LOOK_MS = 1_000;

export interface AttemptOutput {
  /** The absolute path of the file, once it is there; of the first one that it gives the whole is told. */
  find(): string | null;
  /** Whether anything more may come; asked before the file is read for the last time. */
  isLive(): Promise<boolean>;
  tell(bytes: Uint8Array): void;
}

/** Tells the output and, of an attempt that is live, all that comes until it has ended. False when there is none. */
export async function followOutput({ store, clock }: EngineContext, output: AttemptOutput): Promise<boolean> {
  const changes = watchChanges(store, clock);
  const reader = new OutputReader(output.tell, changes);
  try {
    for (;;) {
      changes.clear();
      const isLive = await output.isLive();
      reader.readOn(reader.isOpen ? null : output.find());
      if (!isLive) return reader.isOpen;
      await changes.wait(clock.now() + LOOK_MS, []);
    }
  } finally {
    reader.close();
    changes.close();
  }
}

/** Reads a file on from where it stopped. What replaces a file that grew too large is not read again. */
class OutputReader {
  readonly #tell: (bytes: Uint8Array) => void;
  readonly #changes: Changes;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #open: { descriptor: number; unwatch(): void } | null = null;

  constructor(tell: (bytes: Uint8Array) => void, changes: Changes) {
    this.#tell = tell;
    this.#changes = changes;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  readOn(file: string | null): void {
    if (this.#open === null && file !== null) {
      const descriptor = openSync(file, "r");
      const watcher = watch(file, () => this.#changes.wake());
      // A file that is gone, or a system without watches: the look by the clock remains.
      watcher.on("error", () => watcher.close());
      this.#open = { descriptor, unwatch: () => watcher.close() };
    }
    if (this.#open === null) return;
    for (;;) {
      const read = readSync(this.#open.descriptor, this.#chunk);
      if (read === 0) return;
      this.#tell(Uint8Array.prototype.slice.call(this.#chunk, 0, read));
    }
  }

  close(): void {
    if (this.#open === null) return;
    this.#open.unwatch();
    closeSync(this.#open.descriptor);
  }
}
