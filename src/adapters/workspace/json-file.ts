import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

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
  sweepHalf(dirname(file), HALF_WRITTEN);
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

/** What `writeJson` was killed over: the pid of its writer stands at the end. */
const HALF_WRITTEN = /\.json\.(\d+)$/;

/** Removes the temporary files of processes that are gone; `pattern` finds the pid in a name. */
export function sweepHalf(folder: string, pattern: RegExp): void {
  for (const name of readdirSync(folder)) {
    const pid = pattern.exec(name)?.[1];
    if (pid !== undefined && !isTaken(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

/** Some process has that pid: another than the writer only delays the sweep. */
function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
