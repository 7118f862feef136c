import { lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CloneState, readCloneState } from "./clone-state.ts";
import { readJson, writeJson } from "./json-file.ts";
import { freeName } from "./kept-worktree.ts";

/** What lockstep knows of the clone in a slot: `<folder>/<slot>.clone.json`. */
export interface CloneRecord {
  /** The refs that its agent was given. */
  given: CloneState["refs"];
  /** How it was when its commits were taken over last; null before that. */
  taken: CloneState | null;
  /** What the work branch stands at for all of it; null until that is known. */
  commit: string | null;
  /** The repository has every commit that a ref or HEAD of it has. */
  is_whole: boolean;
}

export function readRecord(folder: string, slot: string): CloneRecord | null {
  return readJson(fileOf(folder, slot)) as CloneRecord | null;
}

export function writeRecord(folder: string, slot: string, record: CloneRecord): void {
  writeJson(fileOf(folder, slot), record);
}

/** Whether the agent's git is as it was when its commits were taken over. */
export function isSameState(a: CloneState | null, b: CloneState | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Takes the `.git` of a slot away. One whose commits were not all taken over is put aside. */
export function dropClone(folder: string, slot: string): void {
  const dotGit = join(folder, slot, ".git");
  const isDirectory = lstatSync(dotGit, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isDirectory && unsavedCommits(folder, slot) !== null)
    renameSync(dotGit, freeName(join(folder, `${slot}.repository`)));
  rmSync(dotGit, { recursive: true, force: true });
  rmSync(fileOf(folder, slot), { force: true });
}

/** The end of a sentence about commits that only the clone may have; null when there are none, or when nobody was let in. */
export function unsavedCommits(folder: string, slot: string): string | null {
  const record = readRecord(folder, slot);
  const state = readCloneState(join(folder, slot, ".git"));
  if (record === null || state === null) return null;
  if (record.taken === null && isSameState({ ...state, refs: record.given }, state)) return null;
  if (record.is_whole && isSameState(record.taken, state)) return null;
  return "its clone has commits that could not be taken over";
}

function fileOf(folder: string, slot: string): string {
  return join(folder, `${slot}.clone.json`);
}
