/** One of this process's two outputs, as cheap as what is said over it. */

import { fstatSync, writeSync } from "node:fs";

/**
 * What becomes of a process whose reader has stopped reading (`lockstep events | head`, a terminal that was closed). One
 * that only tells has nobody to tell any more; one that does something goes on with it, unheard.
 */
export type Unread = "ends" | "goes on";

/** A pipe whose other end is closed, or a terminal that is gone. */
const READER_GONE: ReadonlySet<string> = new Set(["EPIPE", "EIO"]);

/** As a shell tells of a program that SIGPIPE ended. */
const BROKEN_PIPE = 141;

export interface Output {
  write(data: string | Uint8Array): void;
  /** True when a person reads it. */
  isScreen(): boolean;
  /** The platform's stream, which knows the size of its terminal. From now on everything is written to it. */
  stream(): NodeJS.WriteStream;
}

/** Bytes that are written at once. A pipe takes four times as much before it makes anybody wait for its reader. */
const AT_ONCE_MAX = 16_384;

/**
 * Most commands say little, and a stream of the platform costs them a tenth of their start. So the first bytes are written
 * at once; only whoever talks for longer gets a stream, which waits for its reader without holding up this process.
 */
export function openOutput(name: "stdout" | "stderr", unread: Unread): Output {
  const fd = name === "stdout" ? 1 : 2;
  let left = AT_ONCE_MAX;
  let stream: NodeJS.WriteStream | undefined;
  let isUnread = false;
  const failed = (error: NodeJS.ErrnoException): void => {
    if (!READER_GONE.has(error.code ?? "")) throw error;
    if (unread === "ends") process.exit(BROKEN_PIPE);
    isUnread = true;
  };
  const opened = (): NodeJS.WriteStream => {
    stream ??= process[name].on("error", failed);
    return stream;
  };
  return {
    write: (data) => {
      if (isUnread) return;
      const bytes = Buffer.from(data);
      left -= bytes.length;
      const rest = stream === undefined && left >= 0 ? bytes.subarray(writeAtOnce(fd, bytes, failed)) : bytes;
      if (rest.length === 0) return;
      left = 0;
      opened().write(rest);
    },
    isScreen: () => fstatSync(fd).isCharacterDevice() && opened().isTTY,
    stream: opened,
  };
}

/** How many bytes were taken: fewer where another process has made this output one that never waits. */
function writeAtOnce(fd: number, bytes: Buffer, failed: (error: NodeJS.ErrnoException) => void): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;
    failed(error as NodeJS.ErrnoException);
    return bytes.length;
  }
}
