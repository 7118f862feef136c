/** Which rows a command reads: by key, never the whole plan. An adapter loads just these, in the command's transaction. */

import type { AttemptSettle } from "./commands/attempts.ts";
import type { RowCommand } from "./commands.ts";

export interface Needs {
  /** The plan's row and its live run are always read with it. */
  plan: string | null;
  /** The task with its definition, last attempt and lease. */
  task: string | null;
  project: string | null;
  /** The landing on this target of the plan's project. */
  landing: string | null;
  /** `task`: the task's open items; otherwise the id of one item, whose task is read with it. */
  items: { of: "task" } | { id: string } | null;
  /** Holds alone. */
  holds: boolean;
  /** Holds, tasks under way, attempts of the last hour: what gates look at. */
  gates: boolean;
  /** Dependants that would lose what they stand on. */
  relied: boolean;
  /** Tasks by id, with their state. */
  dependencies: string[];
  counts: boolean;
}

const NONE: Needs = {
  plan: null,
  task: null,
  project: null,
  landing: null,
  items: null,
  holds: false,
  gates: false,
  relied: false,
  dependencies: [],
  counts: false,
};

export function needs(command: RowCommand): Needs {
  switch (command.type) {
    case "hold.set":
    case "hold.clear":
    case "hold.expire":
      return { ...NONE, project: command.project };
    case "task.claim":
    case "verdict.give":
      return { ...ofTask(command), gates: true };
    case "task.retry":
      return { ...ofTask(command), relied: true };
    case "task.skip":
    case "task.cancel":
    case "task.override":
    case "task.cascade":
    case "publish.hear":
    case "task.fail":
    case "attempt.stop":
      return { ...ofTask(command), items: { of: "task" } };
    case "attempt.settle":
      return { ...ofTask(command), items: { of: "task" }, holds: concernsHolds(command) };
    case "task.add":
      return { ...NONE, plan: command.plan, task: command.added.id, dependencies: command.added.depends_on };
    case "landing.begin":
    case "landing.adopt":
    case "landing.move":
      return { ...ofTask(command), landing: command.target };
    case "publish.intend":
    case "publish.record":
    case "landing.fail":
    case "check.record":
      return { ...ofTask(command), landing: command.target, items: { of: "task" } };
    case "item.open":
    case "hook.fail":
      return { ...NONE, plan: command.plan, task: command.task };
    case "item.answer":
    case "item.expire":
      return { ...NONE, plan: command.plan, items: { id: command.item } };
    case "run.end":
      return { ...NONE, plan: command.plan, counts: true };
    case "run.start":
    case "run.resume":
    case "run.stop":
    case "hook.skip":
    case "engine.fail":
    case "clock.jump":
      return { ...NONE, plan: command.plan };
    case "run.pause":
      return { ...NONE, plan: command.plan, gates: true };
    case "task.renew":
    case "task.done":
    case "task.edit":
    case "attempt.start":
    case "attempt.adopt":
    case "attempt.report":
    case "attempt.extend":
    case "attempt.interrupt":
    case "attempt.foresee":
    case "check.baseline":
    case "lease.expire":
      return ofTask(command);
  }
}

/** A limit makes a hold, and an attempt that got through ends what is left of one. */
function concernsHolds({ outcome, limit, draws_on = [] }: AttemptSettle): boolean {
  return limit != null || (outcome === "succeeded" && draws_on.length > 0);
}

function ofTask(command: { plan: string; task: string }): Needs {
  return { ...NONE, plan: command.plan, task: command.task };
}
