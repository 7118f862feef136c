/** What an external worker says about the task that it holds. */

import { reject } from "../../errors.ts";
import { phaseAt } from "../../lane/lane.ts";
import type { LeaseExpire, TaskDone, TaskFail, TaskRenew } from "../commands/tasks.ts";
import type { Decision, Draft } from "../draft.ts";
import { fence } from "./fence.ts";
import { laneOf } from "./lane-of.ts";
import { plainly, settle } from "./settle.ts";
import { verdictProblem } from "./verdict-problem.ts";

/**
 * A worker outside lockstep loses its task with its lease. An engine does not: its attempt is adopted by whoever takes
 * it over, with a holder of its own, so the token alone says whether it still has it.
 */
export function renew(draft: Draft, command: TaskRenew): Decision {
  const { lease, attempt } = draft.rows;
  const isHeld = attempt?.kind === "run" && lease?.token === command.token;
  const stale = isHeld ? null : fence(draft, command);
  if (stale) return draft.refuse(stale);
  draft.add("lease.renewed", { expires_at: command.expires_at });
  return draft.done();
}

export function done(draft: Draft, command: TaskDone): Decision {
  const stale = fence(draft, command);
  if (stale) return draft.refuse(stale);
  const phase = phaseAt(laneOf(draft), draft.task.phase);
  const problem = verdictProblem(draft, phase, command.verdict, draft.attempt.agent);
  if (problem) return draft.refuse(problem);
  settle(draft, { ...plainly("succeeded"), summary: command.summary, verdict: command.verdict });
  return draft.done();
}

export function fail(draft: Draft, command: TaskFail): Decision {
  const stale = fence(draft, command);
  if (stale) return draft.refuse(stale);
  settle(draft, { ...plainly("failed", command.error), unlanded: command.unlanded });
  return draft.done();
}

/** An external worker's lease that ran out: the attempt is lost, which costs no try. */
export function expireLease(draft: Draft, command: LeaseExpire): Decision {
  const { lease } = draft.rows;
  if (!lease || lease.token !== command.token)
    return draft.refuse(
      reject("stale_token", `token ${command.token} no longer holds ${command.task}: it has been settled`),
    );
  if (lease.expires_at > draft.now)
    return draft.refuse(reject("not_due", `the lease of ${command.task} has not expired`));
  settle(draft, plainly("lost", LEASE_RAN_OUT));
  return draft.done();
}

export const LEASE_RAN_OUT = "the worker's lease ran out";
