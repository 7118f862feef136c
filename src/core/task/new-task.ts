/** The row of a task that nobody has worked on yet. */

import { FRESH_COUNTERS } from "../attempt/caps.ts";
import type { CompiledTask } from "../plan/definition.ts";
import type { Origin, PlanRow, TaskRow } from "./rows.ts";

/** `unmet` and `dead` count its dependencies as they stand now. */
export function newTask(
  plan: Pick<PlanRow, "id" | "policy">,
  { id, slug, natural_key, path, definition }: CompiledTask,
  origin: Origin,
  revision: number,
  { unmet, dead }: { unmet: number; dead: number },
): TaskRow {
  const { title, priority, wave, files_owned } = definition;
  return {
    plan: plan.id,
    id,
    slug,
    natural_key,
    title,
    origin,
    revision,
    state: "pending",
    phase: 0,
    round: 1,
    ...FRESH_COUNTERS,
    attempts: 0,
    unmet,
    dead,
    priority,
    wave,
    path,
    due_at: null,
    reason: null,
    last_error: null,
    satisfied: false,
    unverified: false,
    retired: false,
    unlanded: false,
    rulings: null,
    publication: null,
    dirty: false,
    approved: false,
    work_commit: null,
    worker: null,
    mode: plan.policy.workspace,
    owns: files_owned.length > 0,
    target: plan.policy.land.target,
    started_at: null,
    finished_at: null,
    landed_target: null,
    landed_sha: null,
    landed_tree: null,
    version: 0,
  };
}
