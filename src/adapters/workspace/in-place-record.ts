import { rmSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceTask } from "../../ports/workspace.ts";
import { readJson, writeJson } from "./json-file.ts";

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

/**
 * The record of a checkout, or null when there is none, or none that can be read: it is not ours to trust then, and nothing
 * in the checkout is taken for lockstep's.
 */
export function readRecord(folder: string): InPlaceRecord | null {
  const value = readJson(file(folder)) as Record<string, unknown> | null;
  return FIELDS.every((field) => typeof value?.[field] === "string") ? (value as unknown as InPlaceRecord) : null;
}

/** Replaces the record in one step. */
export function writeRecord(folder: string, record: InPlaceRecord): void {
  writeJson(file(folder), record, { isDurable: false });
}

export function removeRecord(folder: string): void {
  rmSync(file(folder), { force: true });
}

function file(folder: string): string {
  return join(folder, "in-place.json");
}
