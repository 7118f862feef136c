/** A claim: the one way in which a task comes under way. */

import { reject } from "../../errors.ts";
import { phaseAt } from "../../lane/lane.ts";
import type { Candidate, Facts } from "../../schedule/facts.ts";
import { CALM } from "../../schedule/facts.ts";
import { firstClosed } from "../../schedule/gates.ts";
import type { TaskClaim } from "../commands.ts";
import type { Decision, Draft } from "../draft.ts";
import type { AttemptRow, LeaseRow } from "../rows.ts";
import { laneOf } from "./lane-of.ts";
import { plainly, settle } from "./settle.ts";
import { LEASE_RAN_OUT } from "./worker.ts";

export function claim(draft: Draft, command: TaskClaim): Decision {
  if (hasExpiredLease(draft)) settle(draft, plainly("lost", LEASE_RAN_OUT));
  const { id, state } = draft.task;
  if (state !== "pending") return draft.refuse(reject("not_ready", `${id} cannot be claimed: it is ${state}`));
  if (command.run !== null && draft.rows.run !== null && draft.rows.run.id !== command.run)
    return draft.refuse(reject("no_run", `run ${command.run} is no longer the plan's run`));
  const closed = firstClosed(factsOf(draft, command), candidateOf(draft, command), draft.now);
  if (closed) return draft.refuse(reject(closed.code, `${id} cannot be claimed: ${closed.text}`));
  beginAttempt(draft, command);
  return draft.done();
}

/** An external worker that let its lease run out is settled by the next claim. */
function hasExpiredLease(draft: Draft): boolean {
  const { attempt, lease } = draft.rows;
  return attempt?.kind === "external" && lease !== null && lease.expires_at <= draft.now;
}

function factsOf({ rows }: Draft, { caps }: TaskClaim): Facts {
  const { holds, underway, started_last_hour, run } = rows;
  return { ...CALM, run, caps, holds, underway, started_last_hour };
}

function candidateOf(draft: Draft, { kind, agent }: TaskClaim): Candidate {
  return { row: draft.task, definition: draft.definition.body, kind, agent };
}

/** Attempt, lease, token and the task's move, in one step. */
export function beginAttempt(draft: Draft, command: Omit<TaskClaim, "type" | "plan" | "task">): void {
  const { plan, id, round, phase, attempts, started_at } = draft.task;
  const n = attempts + 1;
  const token = draft.rows.token + 1;
  const attempt: AttemptRow = {
    plan,
    task: id,
    n,
    phase: phaseAt(laneOf(draft), phase).name,
    round,
    kind: command.kind,
    agent: command.agent,
    run: command.run,
    state: "created",
    outcome: null,
    token,
    process: null,
    stop: null,
    base: command.base.commit,
    base_tree: command.base.tree,
    error: null,
    summary: null,
    usage: null,
    cost_usd: null,
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
  draft.move("in_progress", "claimed", { attempts: n, due_at: null, started_at: started_at ?? draft.now });
}

/** The lease of an attempt; ids may hold anything, so the separator is a control character that they cannot. */
export function attemptKey(plan: string, task: string, n: number): string {
  return `attempt\u0001${plan}\u0001${task}\u0001${n}`;
}
