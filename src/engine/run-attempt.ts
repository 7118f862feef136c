/** One attempt by an agent, from its brief to its settling. */

import { evidenceBeside, sessionToResume } from "../core/attempt/resume-session.ts";
import type { PlanRow } from "../core/task/rows.ts";
import type { LiveRunner } from "../ports/runner.ts";
import { briefFor } from "./brief.ts";
import type { Claimed } from "./claim.ts";
import type { EngineContext } from "./context.ts";
import { hearRunner } from "./hear-runner.ts";
import { keepLease } from "./keep-lease.ts";
import { LiveQuestions } from "./live-questions.ts";
import { attemptName, type LiveTask } from "./live-task.ts";
import { settleAttempt, type Used } from "./settle-attempt.ts";
import { watchLive } from "./watch-live.ts";

export interface AttemptSignals {
  /** Ends the agent for the reason that the signal carries; its work is kept and the task handed back. */
  halt: AbortSignal;
  /** The attempt is left as it is, alive, for another engine. */
  leave: AbortSignal;
}

export async function runAttempt(
  context: EngineContext,
  plan: PlanRow,
  claimed: Claimed,
  signals: AttemptSignals,
): Promise<void> {
  const host = context.runners.host(claimed.attempt.agent);
  if (host === null) {
    const error = `agent ${claimed.attempt.agent ?? "(none)"} is not configured in lockstep.yaml`;
    const end = { outcome: "failed", error, summary: null, usage: null, cost_usd: null } as const;
    return settleAttempt(context, plan, claimed, end);
  }
  if (!(await isStillWanted(context, plan, claimed))) return;
  const attempt = attemptName(claimed);
  const sweep = await context.workspace.ownDir({ plan: plan.name, slug: attempt.slug, n: attempt.n });
  const earlier = attempt.n === 1 ? [] : await context.store.attempts(plan.id, attempt.task);
  const resume = sessionToResume(claimed.attempt, earlier);
  const { last_error } = claimed.task.row;
  const evidence = resume === null ? last_error : evidenceBeside(last_error, earlier);
  const order = { attempt, brief: briefFor(plan, claimed, evidence), sweep };
  const runner = await host.start(resume === null ? order : { ...order, resume });
  await attend(context, plan, claimed, runner, signals);
}

/** Its place took a while to be made ready. Of an attempt that was superseded meanwhile there is nothing to settle. */
async function isStillWanted(context: EngineContext, plan: PlanRow, claimed: Claimed): Promise<boolean> {
  const found = await context.store.task(plan.id, claimed.task.row.id);
  if (found?.lease?.token !== claimed.lease.token) return false;
  const stop = found.attempt?.stop;
  if (!stop) return true;
  const end = { outcome: "interrupted", error: stop.why, summary: null, usage: null, cost_usd: null } as const;
  await settleAttempt(context, plan, claimed, end);
  return false;
}

/** Follows a runner to its end, started here or by an engine that died, and settles the attempt by what it left. */
export async function attend(
  context: EngineContext,
  plan: PlanRow,
  live: LiveTask,
  runner: LiveRunner,
  { halt, leave }: AttemptSignals,
): Promise<void> {
  const questions = new LiveQuestions();
  const watch = watchLive(context, live, runner, questions, halt);
  const lease = keepLease(context, live, runner);
  try {
    let used: Used | null = null;
    const end = await runner.follow((event) => {
      if (event.type === "usage") used = event;
      return hearRunner(context, live, questions, event);
    }, leave);
    if (end !== null) await settleAttempt(context, plan, live, end, used);
  } finally {
    await Promise.all([watch.close(), lease.close()]);
  }
}
