/** What a task has changed: what it landed, or the work of it that has not landed. */

import { landedTask } from "../core/task/commit-message.ts";
import type { PlanRow, TaskRow } from "../core/task/rows.ts";
import type { WorkDiff, WorkspaceRefusal } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";

/** Null where nothing of its work is kept as commits. A task that landed nothing new has an empty patch. */
export async function taskDiff(
  { workspace }: EngineContext,
  plan: PlanRow,
  { id, slug, target, landed_sha, publication }: TaskRow,
): Promise<Pick<WorkDiff, "from" | "to" | "patch"> | WorkspaceRefusal | null> {
  if (landed_sha === null) return workspace.diff({ plan: plan.name, slug, target });
  const landed = await workspace.diff({ commit: landed_sha });
  if (landed === null || "code" in landed || landedTask(landed.message) === id) return landed;
  // What a forge merged says what its people wish.
  if (landed_sha === publication?.merge_sha) return landed;
  // Its checks were green on the target as it stood: the commit there is another's.
  return { from: landed_sha, to: landed_sha, patch: new Uint8Array() };
}
