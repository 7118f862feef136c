/** A run under way: all that its loop works with, from its beginning to its end. */

import type { EngineContext } from "./context.ts";
import { Halt, NEVER } from "./halt.ts";
import { LiveWork } from "./live-work.ts";
import type { Adopted } from "./recover.ts";
import { attend } from "./run-attempt.ts";
import type { RunRequest } from "./run-request.ts";
import { type Changes, watchChanges } from "./wait.ts";

export interface Running {
  context: EngineContext;
  request: RunRequest;
  run: string;
  changes: Changes;
  attempts: LiveWork;
  /** One landing after the other, beside the attempts. */
  landings: LiveWork;
  /** Ends the agents that are at work. */
  agents: Halt;
  /** Ends the checks that are under way. */
  checks: Halt;
  /** Aborted at the end: whatever is alive then, of another plan or because this engine is broken, is left alive. */
  leave: AbortSignal;
  /** Why the last place that was asked for could not be had, in words; null since one was. */
  placeProblem: string | null;
  close(): Promise<void>;
}

/** `adopted` of other plans are attended too, so that their slots come free; they never hold this run's end. */
export function beginRunning(
  context: EngineContext,
  request: RunRequest,
  run: string,
  adopted: readonly Adopted[],
): Running {
  const changes = watchChanges(context.store, context.clock);
  const [attempts, landings, others] = [1, 2, 3].map(() => new LiveWork(changes.wake)) as [
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
    const attended = attend(context, plan, live, runner, signals).then(() => true);
    (isOwn ? attempts : others).begin(attended);
  }
  const close = async (): Promise<void> => {
    leave.abort();
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
    agents,
    checks,
    leave: leave.signal,
    placeProblem: null,
    close,
  };
}
