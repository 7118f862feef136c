import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

/** The end of a file that may be long, as text; "" where there is none. */
export function lastBytes(file: string, bytesMax: number): string {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return "";
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, bytesMax));
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("latin1", 0, read);
  } finally {
    closeSync(descriptor);
  }
}
