/**
 * What is known of the programs of agents on this machine: one small file for each in the state directory. Not in the
 * store: which version lies at a path is a matter of the machine, and a store may be shared by several.
 */

import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClauseFinding } from "../ports/agent-probe.ts";

export interface ProgramRecord {
  adapter: string;
  /** As it was found on the path. */
  path: string;
  /** Changes when its file is replaced. */
  file: string;
  /** Null: it does not say it as the program does that it is taken for. */
  version: string | null;
  /** When it was asked for that, milliseconds since 1970. */
  asked_at: number;
  probe: ProgramProbe | null;
}

export interface ProgramProbe {
  version: string;
  /** `CONTRACT` of then. */
  contract: number;
  clauses: ClauseFinding[];
  ms: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Somebody let it start though it broke something. */
  released: boolean;
}

/** Raised when programs are held to something else: all of them are tried anew. */
export const CONTRACT = 1;

/** In a newer form, or cut off by a crash, it is as if it was not there. */
export async function readRecord(stateDir: string, adapter: string, path: string): Promise<ProgramRecord | null> {
  try {
    const record = JSON.parse(await readFile(fileOf(stateDir, adapter, path), "utf8")) as ProgramRecord;
    return record.path === path && typeof record.file === "string" ? record : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Whole or not at all; of several who write at once the last one stays. */
export async function writeRecord(stateDir: string, record: ProgramRecord): Promise<void> {
  const file = fileOf(stateDir, record.adapter, record.path);
  await mkdir(join(stateDir, "agents"), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
  await rename(draft, file);
}

function fileOf(stateDir: string, adapter: string, path: string): string {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return join(stateDir, "agents", `${adapter}-${name}.json`);
}

/**
 * Tells a program's file from the one that takes its place. Its time of change alone would not do: packages are unpacked
 * with the same time for every version.
 */
export async function fileMark(path: string): Promise<string> {
  const real = await realpath(path);
  const { size, mtimeMs, ctimeMs, ino } = await stat(real);
  return `${real}:${size}:${Math.trunc(mtimeMs)}:${Math.trunc(ctimeMs)}:${ino}`;
}
