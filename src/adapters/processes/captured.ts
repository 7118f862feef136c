/** A child's output that somebody hears before it is written. */

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, unlinkSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";
import type { CommandOutput } from "../../ports/processes.ts";
import { appendNote } from "./output.ts";

/**
 * When all is killed that could be found, what is left in the pipe comes within a moment; whoever still holds it then was
 * not found, and is not waited for.
 */
const QUIET_MS = 100;
const DRAIN_MS_MAX = 5_000;

export interface Capture {
  /** What the child writes to: both its outputs, so that their order stays. Closed here when the child has it. */
  writer: number;
  /** Resolves when all that was printed has been heard and written. */
  drained(): Promise<void>;
  /** For a child that never came to be. */
  drop(): void;
}

/**
 * Both ends of a pipe by the kernel: a socket, as the platform would make it, cannot be opened anew by its name, which
 * scripts do (`> /dev/stderr`). Rejects where none can be made. `log` is the descriptor that takes what is to be written.
 */
export async function capture(output: CommandOutput, log: number, logFile: string): Promise<Capture> {
  const name = `${logFile}.${randomUUID()}`;
  await promisify(execFile)("mkfifo", ["-m", "600", name]);
  let reader: number;
  let writer: number;
  try {
    reader = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    writer = openSync(name, constants.O_WRONLY);
  } finally {
    unlinkSync(name);
  }
  const file = new LossyFile(log);
  const socket = new Socket({ fd: reader, readable: true, writable: false });
  let heardAt = performance.now();
  socket.on("data", (bytes: Buffer) => {
    heardAt = performance.now();
    file.write(output.take(bytes));
  });
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.on("error", () => socket.destroy());
  });
  return {
    writer,
    drained: async () => {
      const began = performance.now();
      const isOver = (): boolean => {
        const now = performance.now();
        return now - Math.max(began, heardAt) > QUIET_MS || now - began > DRAIN_MS_MAX;
      };
      const look = setInterval(() => {
        if (isOver()) socket.destroy();
      }, QUIET_MS / 4);
      await ended;
      clearInterval(look);
      file.write(output.end());
      file.close();
    },
    drop: () => {
      socket.destroy();
    },
  };
}

/** A full disk must not end whoever hears the output: what it does not take is lost, and said when it takes some again. */
class LossyFile {
  readonly #descriptor: number;
  #lost = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const written = this.#attempt(bytes.subarray(at));
      if (written === null) {
        this.#lost += bytes.length - at;
        return;
      }
      at += written;
    }
  }

  close(): void {
    this.#tellLost();
  }

  #attempt(bytes: Buffer): number | null {
    try {
      this.#tellLost();
      return writeSync(this.#descriptor, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return null;
    }
  }

  #tellLost(): void {
    if (this.#lost === 0) return;
    appendNote(this.#descriptor, `${this.#lost} bytes could not be written here`);
    this.#lost = 0;
  }
}

/** The child has its own descriptor of it now: only when all of these are closed does the output end. */
export function closeWriter({ writer }: Capture): void {
  closeSync(writer);
}
