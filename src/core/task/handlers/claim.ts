/** A claim: the one way in which a task comes under way. */

import { reject } from "../../errors.ts";
import type { Candidate, Facts } from "../../schedule/facts.ts";
import { CALM } from "../../schedule/facts.ts";
import { firstClosed } from "../../schedule/gates.ts";
import type { TaskClaim } from "../commands/tasks.ts";
import type { Decision, Draft } from "../draft.ts";
import { beginAttempt } from "./begin-attempt.ts";
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

function factsOf({ rows }: Draft, { caps, agent, draws_on }: TaskClaim): Facts {
  const { holds, underway, started_last_hour, run } = rows;
  const draws = agent === null || draws_on === undefined ? CALM.draws : new Map([[agent, draws_on]]);
  return { ...CALM, run, caps, holds, draws, underway, started_last_hour };
}

function candidateOf(draft: Draft, { kind, agent }: TaskClaim): Candidate {
  return { row: draft.task, definition: draft.definition.body, kind, agent };
}
