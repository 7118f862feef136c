import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceTask } from "../../ports/workspace.ts";

/**
 * What lockstep knows of a checkout that it works in: `<git dir>/lockstep/in-place.json`. It is how lockstep tells what
 * it left there from what a person did. Losing it is safe: the checkout is then refused as not clean.
 */
export interface InPlaceRecord extends WorkspaceTask {
  /**
   * `working`: an attempt has the checkout. `checking`: its candidate stands, the agent moves nothing any more.
   * `landing`: the target is about to move to `commit`. `left`: the dirt whose tree is `tree` is kept at `saved`.
   */
  state: "working" | "checking" | "landing" | "left";
  /** Full name of the branch. */
  branch: string;
  /** The commit that the attempt, or the dirt, stands on. */
  base: string;
  commit: string | null;
  tree: string | null;
  saved: string | null;
}

const FIELDS = ["state", "branch", "base", "plan", "slug"];

/** The record of a checkout, or null when there is none, or none that can be read. */
export function readRecord(folder: string): InPlaceRecord | null {
  let text: string;
  try {
    text = readFileSync(file(folder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  return parse(text);
}

/** Replaces the record in one step. */
export function writeRecord(folder: string, record: InPlaceRecord): void {
  mkdirSync(folder, { recursive: true });
  const next = `${file(folder)}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(record)}\n`);
  renameSync(next, file(folder));
}

export function removeRecord(folder: string): void {
  rmSync(file(folder), { force: true });
}

function parse(text: string): InPlaceRecord | null {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return FIELDS.every((field) => typeof value?.[field] === "string") ? (value as unknown as InPlaceRecord) : null;
  } catch (error) {
    // Not ours to trust: without a record nothing in the checkout is taken for lockstep's.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function file(folder: string): string {
  return join(folder, "in-place.json");
}
