import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** What a file of ours holds; null when it does not exist, or holds no JSON since a machine died while it was written. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Replaces a file in one step. Unless that matters for this process's life only, it is on the disk when this returns. */
export function writeJson(file: string, value: unknown, { isDurable } = { isDurable: true }): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  const descriptor = openSync(next, "w", 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify(value)}\n`);
    if (isDurable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(next, file);
}
