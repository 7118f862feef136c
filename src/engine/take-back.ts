/** Work that stands on its target though its task was ended or handed back before the store had heard that it landed. */

import type { LandingRow } from "../core/task/rows.ts";
import type { WorkspaceTask } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";

/**
 * Moves the target back, so that what a person took back is not done twice, nor counted on. Where that cannot be, because
 * more stands on it already, it is told. The work itself is kept either way: an attempt's ref has it.
 */
export async function takeBack(
  { workspace, store, actor }: EngineContext,
  { plan, task, target, tip, candidate }: Pick<LandingRow, "plan" | "task" | "target" | "tip" | "candidate">,
  place: WorkspaceTask,
): Promise<void> {
  if (candidate === null || candidate === tip || !(await workspace.holds(target, candidate))) return;
  const isBack = await workspace.takeBack(place, { target, tip, commit: candidate });
  if (isBack || !(await workspace.holds(target, candidate))) return;
  const error = `its work had landed as ${candidate} when it was taken back: it stays on ${target}`;
  await store.submit({ type: "engine.fail", plan, failure: { about: task, error, retry_at: null } }, { actor });
}
