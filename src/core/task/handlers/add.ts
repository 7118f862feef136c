/** A task that joins a plan outside its file: an operator's or a planner's. */

import { reject } from "../../errors.ts";
import type { TaskAdd } from "../commands/tasks.ts";
import { isDead } from "../counters.ts";
import type { Decision, Draft } from "../draft.ts";
import { newTask } from "../new-task.ts";

export function add(draft: Draft, { added, origin }: TaskAdd): Decision {
  const { plan } = draft;
  const { dependencies } = draft.rows;
  if (draft.rows.task) return draft.refuse(reject("task_exists", `plan ${plan.name} has a task ${added.id} already`));
  const unknown = added.depends_on.filter((id) => !dependencies.some((d) => d.id === id));
  if (unknown.length > 0)
    return draft.refuse(
      reject(
        "unknown_dependency",
        `task ${added.id} depends on ${unknown.join(", ")}, which plan ${plan.name} does not have`,
      ),
    );
  const unmet = dependencies.filter((d) => !d.satisfied).length;
  const dead = dependencies.filter(isDead).length;
  const row = newTask(plan, added, origin, plan.revision, { unmet, dead });
  draft.add("task.added", {
    origin,
    revision: plan.revision,
    added: { row, definition: added.definition, depends_on: added.depends_on },
  });
  return draft.done();
}
