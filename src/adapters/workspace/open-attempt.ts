import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceTask } from "../../ports/workspace.ts";

/** The attempt that has a plain directory. On disk, since another process may settle what this one opened. */
interface OpenAttempt extends WorkspaceTask {
  /** Hash of the tree that it started from. */
  base: string;
}

export function readOpen(stateDir: string): OpenAttempt | null {
  try {
    return JSON.parse(readFileSync(fileIn(stateDir), "utf8")) as OpenAttempt;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Replaces the record in one step. */
export function writeOpen(stateDir: string, attempt: OpenAttempt): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const next = `${fileIn(stateDir)}.${process.pid}`;
  writeFileSync(next, JSON.stringify(attempt));
  renameSync(next, fileIn(stateDir));
}

export function removeOpen(stateDir: string): void {
  rmSync(fileIn(stateDir), { force: true });
}

function fileIn(stateDir: string): string {
  return join(stateDir, "open.json");
}
