/** One of this process's two outputs, as cheap as what is said over it. */

import { fstatSync, writeSync } from "node:fs";

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
export function openOutput(name: "stdout" | "stderr"): Output {
  const fd = name === "stdout" ? 1 : 2;
  let left = AT_ONCE_MAX;
  let stream: NodeJS.WriteStream | undefined;
  const opened = (): NodeJS.WriteStream => {
    stream ??= process[name].on("error", endIfUnread);
    return stream;
  };
  return {
    write: (data) => {
      const bytes = Buffer.from(data);
      left -= bytes.length;
      const rest = stream === undefined && left >= 0 ? bytes.subarray(writeAtOnce(fd, bytes)) : bytes;
      if (rest.length === 0) return;
      left = 0;
      opened().write(rest);
    },
    isScreen: () => fstatSync(fd).isCharacterDevice() && opened().isTTY,
    stream: opened,
  };
}

/** How many bytes were taken: fewer where another process has made this output one that never waits. */
function writeAtOnce(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;
    endIfUnread(error as NodeJS.ErrnoException);
    return bytes.length;
  }
}

/** Whoever reads our output may stop reading (`lockstep events | head`): then there is nobody to tell. */
function endIfUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}
