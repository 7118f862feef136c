import { phaseAt } from "../../lane/lane.ts";
import type { TaskClaim } from "../commands/tasks.ts";
import type { Draft } from "../draft.ts";
import type { AttemptRow, LeaseRow } from "../rows.ts";
import { laneOf } from "./lane-of.ts";

/** Attempt, lease, token and the task's move, in one step. */
export function beginAttempt(draft: Draft, command: Omit<TaskClaim, "type" | "plan" | "task">): void {
  const { plan, id, round, phase, attempts, started_at } = draft.task;
  const n = attempts + 1;
  const token = draft.rows.token + 1;
  const due = phaseAt(laneOf(draft), phase);
  const attempt: AttemptRow = {
    plan,
    task: id,
    n,
    phase: due.name,
    round,
    kind: command.kind,
    agent: command.agent,
    run: command.run,
    state: "created",
    outcome: null,
    token,
    process: null,
    stop: null,
    timeout_ms: draft.definition.body.timeout_ms,
    interrupts: 0,
    base: command.base.commit,
    base_tree: command.base.tree,
    error: null,
    summary: null,
    report: null,
    progress: null,
    session: null,
    outside: null,
    foreseen: null,
    usage: null,
    cost_usd: null,
    failure: null,
    partial: false,
    model: null,
    started_at: draft.now,
    ended_at: null,
    version: 0,
  };
  const lease: LeaseRow = {
    key: attemptKey(plan, id, n),
    holder: command.holder,
    token,
    expires_at: command.expires_at,
  };
  draft.add("attempt.created", { attempt, lease });
  draft.move("in_progress", "claimed", {
    ...{ attempts: n, due_at: null, started_at: started_at ?? draft.now },
    // A review leaves the work as it is, and with it what a person said of it.
    ...(due.kind === "review" ? {} : { rulings: null }),
  });
}

/** The lease of an attempt; ids may hold anything, so the separator is a control character that they cannot. */
export function attemptKey(plan: string, task: string, n: number): string {
  return `attempt\u0001${plan}\u0001${task}\u0001${n}`;
}
