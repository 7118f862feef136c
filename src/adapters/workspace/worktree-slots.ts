import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { WorkspaceTask } from "../../ports/workspace.ts";
import { readJson, writeJson } from "./json-file.ts";

/** Who has a slot: `<folder>/<slot>.taken.json`. Written and removed only under the repository's lock. */
export interface SlotMarker extends WorkspaceTask {
  /** `preparing`: nothing of the attempt has run, and what the worktree holds is nobody's work. */
  state: "preparing" | "ready";
  holder: ProcessIdentity;
  /** Full name of the branch that the attempt lands on. */
  target: string;
  /** The commit that the work starts from, and its tree. */
  base: string;
  base_tree: string;
  /** The commit that HEAD was at when the agent was let in. */
  start: string;
  /** Where the work branch stood before; null when there was none. */
  work: string | null;
  /** Files that were left with conflicts, as byte strings. */
  conflicts: Conflict[];
  /** Copies of the user's untracked files, as byte strings. */
  copied: string[];
}

export interface Conflict {
  path: string;
  /** Tells whether the file was touched since; null when the merge left none, or when that is not known. */
  stamp: string | null;
}

export interface TakenSlot {
  slot: string;
  marker: SlotMarker;
}

const MARKER = /^(\d+)\.taken\.json$/;

/** All slots that are taken. */
export function takenSlots(folder: string): TakenSlot[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const taken: TakenSlot[] = [];
  for (const name of readdirSync(folder)) {
    const slot = MARKER.exec(name)?.[1];
    if (slot === undefined) continue;
    const marker = readJson(join(folder, name)) as SlotMarker | null;
    // It is on the disk before the agent is let in: one that cannot be read is one whose attempt never began.
    if (marker === null) releaseSlot(folder, slot);
    else taken.push({ slot, marker });
  }
  return taken.sort((a, b) => Number(a.slot) - Number(b.slot));
}

/** The slot of this very attempt, or null. */
export function slotOf(folder: string, task: WorkspaceTask): TakenSlot | null {
  return takenSlots(folder).find(({ marker }) => isOfTask(marker, task) && marker.n === task.n) ?? null;
}

export function isOfTask(a: WorkspaceTask, b: WorkspaceTask): boolean {
  return a.plan === b.plan && a.slug === b.slug;
}

export function takeSlot(folder: string, slot: string, marker: SlotMarker): void {
  writeJson(join(folder, `${slot}.taken.json`), marker);
}

export function releaseSlot(folder: string, slot: string): void {
  rmSync(join(folder, `${slot}.taken.json`), { force: true });
}
