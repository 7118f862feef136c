/** A run under way: all that its loop works with, from its beginning to its end. */

import type { TaskRow } from "../core/task/rows.ts";
import { AgentTrials } from "./agent-trials.ts";
import { ClockWatch } from "./clock-watch.ts";
import type { EngineContext } from "./context.ts";
import { watchForConflicts } from "./foresight.ts";
import { Halt, NEVER } from "./halt.ts";
import { LiveWork } from "./live-work.ts";
import type { Adopted } from "./recover.ts";
import { attend } from "./run-attempt.ts";
import type { RunRequest } from "./run-request.ts";
import type { SetAside } from "./set-aside.ts";
import { type Changes, watchChanges } from "./wait.ts";
import { PullRequestWatch } from "./watch-pull-requests.ts";

export interface Running {
  context: EngineContext;
  request: RunRequest;
  run: string;
  changes: Changes;
  attempts: LiveWork;
  /** One landing after the other, beside the attempts. */
  landings: LiveWork;
  /** What waits outside for people, and the look at it that goes on. */
  pulls: PullRequestWatch;
  looks: LiveWork;
  /** Whose program was looked at, and may start. */
  trials: AgentTrials;
  /** Ends the agents that are at work. */
  agents: Halt;
  /** Ends the checks that are under way. */
  checks: Halt;
  /** Aborted at the end: whatever is alive then, of another plan or because this engine is broken, is left alive. */
  leave: AbortSignal;
  /** Why the last place that was asked for could not be had, in words; null since one was. */
  placeProblem: string | null;
  /** Tasks that this engine could not go on with. */
  aside: SetAside;
  clockWatch: ClockWatch;
  /** Since when nothing can start for want of space, milliseconds since 1970; null: there is enough. */
  shortSince: number | null;
  close(): Promise<void>;
}

/** `adopted` of other plans are attended too, so that their slots come free; they never hold this run's end. */
export function beginRunning(
  context: EngineContext,
  request: RunRequest,
  run: string,
  adopted: readonly Adopted[],
  aside: SetAside,
): Running {
  const changes = watchChanges(context.store, context.clock);
  const [attempts, landings, looks, others] = [1, 2, 3, 4].map(() => new LiveWork(changes.wake)) as [
    LiveWork,
    LiveWork,
    LiveWork,
    LiveWork,
  ];
  const [agents, checks, leave] = [new Halt(), new Halt(), new AbortController()];
  const kill = (): void => {
    agents.now("stopped by its operator");
    checks.now("stopped by its operator");
  };
  if (request.kill.aborted) kill();
  request.kill.addEventListener("abort", kill, { once: true });
  for (const { plan, live, runner } of adopted) {
    const isOwn = plan.id === request.plan.id;
    const signals = { halt: isOwn ? agents.signal : NEVER, leave: leave.signal };
    const attended = attend(context, plan, live, runner, signals);
    (isOwn ? attempts : others).begin(setAsideUnless(attended, aside, live.task.row));
  }
  const pace = context.settings.foresight;
  const foresight = pace === null ? null : watchForConflicts(context, request.plan.id, pace);
  const trials = new AgentTrials(context, leave.signal, changes.wake);
  const close = async (): Promise<void> => {
    leave.abort();
    await foresight?.close();
    await trials.settled();
    await looks.settled();
    await others.settled();
    request.kill.removeEventListener("abort", kill);
    changes.close();
  };
  return {
    context,
    request,
    run,
    changes,
    attempts,
    landings,
    looks,
    pulls: new PullRequestWatch(context, request.plan.id),
    trials,
    agents,
    checks,
    leave: leave.signal,
    placeProblem: null,
    aside,
    clockWatch: new ClockWatch(context.clock),
    shortSince: null,
    close,
  };
}

/** What goes wrong with one task's attempt is no reason to end what goes on beside it. */
export async function setAsideUnless(
  done: Promise<void>,
  aside: SetAside,
  { id, plan }: Pick<TaskRow, "id" | "plan">,
): Promise<true> {
  try {
    await done;
    aside.forget(id, plan);
  } catch (error) {
    await aside.add(id, error, plan);
  }
  return true;
}
