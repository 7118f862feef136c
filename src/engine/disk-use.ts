/** What lockstep takes of the disk, by kind. */

import type { WorkspaceRefusal } from "../ports/workspace.ts";
import type { PlaceUse } from "../ports/workspace-disk.ts";
import type { EngineContext } from "./context.ts";

export interface DiskUse {
  /** Worktrees and saved work are this project's; the rest is of all projects that share the state directory. */
  kind: PlaceUse["kind"] | "attempts" | "checks" | "homes" | "temporary";
  count: number;
  /** Null: not known. */
  bytes: number | null;
}

/** Kinds of blobs, and how deep one of each lies. */
const BLOBS = [
  ["attempts", [["attempts", 3]]],
  ["checks", [["checks", 2]]],
  ["homes", [["homes", 3]]],
  [
    "temporary",
    [
      ["tmp", 2],
      ["hooks", 2],
      ["setup", 2],
    ],
  ],
] as const satisfies [DiskUse["kind"], [string, number][]][];

/** Looks at every file: what it gives is as large as the disk makes it wait. */
export async function diskUse({
  workspace,
  blobs,
}: Pick<EngineContext, "workspace" | "blobs">): Promise<DiskUse[] | WorkspaceRefusal> {
  const places = await workspace.inUse();
  if ("code" in places) return places;
  const found: DiskUse[] = [...places];
  for (const [kind, folders] of BLOBS) {
    const use = { kind, count: 0, bytes: 0 };
    for (const [folder, depth] of folders)
      for await (const blob of blobs.list(folder, depth)) {
        use.count += 1;
        use.bytes += blob.bytes;
      }
    found.push(use);
  }
  return found;
}

/** All that is known together. */
export function totalBytes(use: readonly DiskUse[]): number {
  return use.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
}
