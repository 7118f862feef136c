/** What an operator, or a plan's author, does to one task. */

import { invariant } from "../../assert.ts";
import { FRESH_COUNTERS } from "../../attempt/caps.ts";
import { reject } from "../../errors.ts";
import type { TaskCancel, TaskCascade, TaskEdit, TaskOverride, TaskRetry, TaskSkip } from "../commands/tasks.ts";
import type { Decision, Draft } from "../draft.ts";
import { keepsDefinition, mayBeEnded } from "../moves.ts";
import type { Stop } from "../rows.ts";
import { endTask } from "./end.ts";
import { plainly, settle } from "./settle.ts";

export function retry(draft: Draft, { fresh }: TaskRetry): Decision {
  const { id, state, unlanded } = draft.task;
  const { relied } = draft.rows;
  if (state !== "failed" && state !== "skipped" && state !== "cancelled")
    return draft.refuse(reject("illegal_move", `${id} cannot be retried: it is ${state}`));
  if (relied.length > 0)
    return draft.refuse(
      reject("dependants_relied", `${id} cannot be retried: ${relied.join(", ")} relied on its being skipped`),
    );
  draft.move("pending", "retried", {
    ...FRESH_COUNTERS,
    round: 1,
    due_at: null,
    started_at: null,
    finished_at: null,
    satisfied: false,
    approved: false,
    unlanded: unlanded && !fresh,
    ...(fresh ? { dirty: false } : {}),
  });
  return draft.done();
}

export function skip(draft: Draft, { satisfies, without_work, why }: TaskSkip): Decision {
  if (satisfies && draft.task.unlanded && !without_work)
    return draft.refuse(
      reject("unlanded_work", `${draft.task.id} has work that has not landed, which its dependants would miss`),
    );
  return end(draft, { as: "cancelled", why, then: "skipped", satisfies });
}

export function cancel(draft: Draft, { why }: TaskCancel): Decision {
  return end(draft, { as: "cancelled", why, then: "cancelled" });
}

export function override(draft: Draft, { why }: TaskOverride): Decision {
  if (draft.task.unmet > 0)
    return draft.refuse(
      reject(
        "dependency_pending",
        `${draft.task.id} cannot be verified: it depends on ${draft.task.unmet} tasks that are not`,
      ),
    );
  return end(draft, { as: "cancelled", why, then: "verified" });
}

/** Ends the task now, or once its live attempt has been stopped. An external attempt is settled at once. */
function end(draft: Draft, stop: Stop & { then: "skipped" | "cancelled" | "verified" }): Decision {
  const { id, state } = draft.task;
  if (!mayBeEnded(state)) return draft.refuse(reject("illegal_move", `${id} cannot be ${stop.then}: it is ${state}`));
  if (state !== "in_progress") {
    endTask(draft, stop.then, stop.why, stop.satisfies ?? false, stop.then === "verified" ? "override" : "operator");
    return draft.done();
  }
  if (draft.attempt.stop)
    return draft.refuse(reject("already_stopping", `${id} is stopping already: ${draft.attempt.stop.why}`));
  draft.add("attempt.stopping", { stop });
  if (draft.attempt.kind === "external") settle(draft, plainly(stop.as, stop.why));
  return draft.done();
}

/** Passes a dependency's end on to a task that asked for it. */
export function cascade(draft: Draft, _command: TaskCascade): Decision {
  const { id, state, dead } = draft.task;
  if (state !== "pending" || dead === 0 || draft.definition.body.on_dependency_failed !== "cascade")
    return draft.refuse(reject("illegal_move", `${id} has no failed dependency to pass on`));
  endTask(draft, "skipped", "a task that it depends on has failed", false, "dependency_failed");
  return draft.done();
}

export function edit(draft: Draft, { patch }: TaskEdit): Decision {
  invariant(!("depends_on" in patch), "an edit leaves the graph alone");
  draft.add("task.edited", { patch, waits: keepsDefinition(draft.task.state) });
  return draft.done();
}
