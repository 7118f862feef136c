import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceTask } from "../../ports/workspace.ts";
import { readJson } from "./json-file.ts";

/** The attempt that has a plain directory. On disk, since another process may settle what this one opened. */
interface OpenAttempt extends WorkspaceTask {
  /** Hash of the tree that it started from. */
  base: string;
}

/** One that was half written when its process died is as good as none: nothing had begun in the place. */
export function readOpen(stateDir: string): OpenAttempt | null {
  return readJson(fileIn(stateDir)) as OpenAttempt | null;
}

/** Only the attempt that has the place writes here, and a renamed file would make every commit of the store wait for it. */
export function writeOpen(stateDir: string, attempt: OpenAttempt): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  writeFileSync(fileIn(stateDir), JSON.stringify(attempt));
}

export function removeOpen(stateDir: string): void {
  rmSync(fileIn(stateDir), { force: true });
}

function fileIn(stateDir: string): string {
  return join(stateDir, "open.json");
}
