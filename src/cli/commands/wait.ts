import { livingEngines } from "../../compose/engines.ts";
import type { PlanRow, RunRow } from "../../core/task/rows.ts";
import { watchChanges } from "../../engine/wait.ts";
import type { Call, CommandRun } from "../command.ts";
import { EXIT, EXIT_OF_RUN } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { namedPlan } from "../named-plan.ts";
import { durationOption } from "../read-options.ts";

export const run: CommandRun = async (call) => {
  const timeoutMs = durationOption(call, "timeout", Number.POSITIVE_INFINITY);
  const plan = await namedPlan(call);
  const last = await ended(call, plan, timeoutMs);
  if (last === null) throw timedOut(plan, call.options["timeout"] ?? "");
  const { id, state, outcome } = last;
  if (call.terminal.json) call.terminal.printJson({ plan: plan.name, run: { id, state, outcome } });
  else call.terminal.print(`${plan.name}: run ${outcome}`);
  return EXIT_OF_RUN[outcome!];
};

/** How often it is looked whether an engine still lives, since a death commits nothing. */
const ENGINE_LOOK_MS = 1_000;

/** The plan's last run once it has ended; null when that takes longer. A run that begins meanwhile is the last one then. */
async function ended({ session, terminal }: Call, plan: PlanRow, timeoutMs: number): Promise<RunRow | null> {
  const { store, clock } = await session.context();
  const until = clock.now() + timeoutMs;
  const changes = watchChanges(store, clock);
  const uncarried = new Uncarried();
  try {
    for (;;) {
      changes.clear();
      const isCarried = (await livingEngines(store, plan.project)).some((engine) => engine.plan === plan.id);
      const last = await store.lastRun(plan.id);
      if (last === null)
        throw new Failure("no_run", `plan ${plan.name} has had no run`, `\`lockstep run ${plan.name}\` starts one.`);
      if (last.state === "ended") return last;
      if (uncarried.isNews(isCarried, clock.now()))
        terminal.note(`no engine carries the run of ${plan.name}: \`lockstep run ${plan.name}\` carries it on`);
      if (clock.now() >= until) return null;
      await changes.wait(Math.min(until, clock.now() + ENGINE_LOOK_MS), []);
    }
  } finally {
    changes.close();
  }
}

/** A run that nobody carries for longer than it takes one engine to follow another. */
class Uncarried {
  #since: number | null = null;
  #isTold = false;

  /** True once for each time that the run is left alone. */
  isNews(isCarried: boolean, now: number): boolean {
    if (isCarried) {
      this.#since = null;
      this.#isTold = false;
      return false;
    }
    this.#since ??= now;
    if (this.#isTold || now - this.#since < ENGINE_LOOK_MS) return false;
    this.#isTold = true;
    return true;
  }
}

function timedOut({ name }: PlanRow, timeout: string): Failure {
  const hint = "It goes on: `lockstep status` says how it stands.";
  return new Failure("timed_out", `the run of ${name} has not ended within ${timeout}`, hint, { exit: EXIT.timed_out });
}
