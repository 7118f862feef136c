/** Carries a plan's run, or follows whoever does, tells of it, and turns its end into an exit code. */

import { asEngine } from "../../compose/engine-lock.ts";
import type { OpenProject } from "../../compose.ts";
import type { PlanRow, RunOutcome } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { summaryOf } from "../../engine/plan-summary.ts";
import type { RunEnd } from "../../engine/run.ts";
import { runPlan } from "../../engine/run.ts";
import { watchChanges } from "../../engine/wait.ts";
import type { Call } from "../command.ts";
import { EXIT_OF_RUN } from "../exit-codes.ts";
import { refused } from "../failure.ts";
import type { StopSignals } from "../stop-signals.ts";
import { stopSignals } from "../stop-signals.ts";
import type { Terminal } from "../terminal.ts";
import { EngineWatch } from "./await-engine.ts";
import type { RunFollower } from "./follow-run.ts";
import { followRun } from "./follow-run.ts";
import type { LiveScreen } from "./live-screen.ts";
import { openLiveScreen } from "./live-screen.ts";
import { printSummary } from "./summary.ts";
import { waitTeller } from "./wait-text.ts";

export interface RunWish {
  plan: PlanRow;
  agent: string | null;
  tasksMax: number | null;
  jobs: number | null;
  maxWaitMs: number;
  stay: boolean;
}

/** One call of `run` with all that it has in hand. */
interface Carrying {
  terminal: Terminal;
  project: OpenProject;
  context: EngineContext;
  wish: RunWish;
  stop: StopSignals;
  follower: RunFollower;
  live: LiveScreen;
  /** The plan's run that had ended before this call; every other one is told of. */
  before: string | null;
}

/** Resolves to the exit code. */
export async function carryOut(call: Call, context: EngineContext, wish: RunWish): Promise<number> {
  const { terminal } = call;
  const { plan, agent } = wish;
  const project = await call.session.project();
  const last = await context.store.lastRun(plan.id);
  const stop = stopSignals();
  const follower = await followRun(terminal, context, plan);
  const live = openLiveScreen(terminal, context, plan, agent ?? context.settings.agent);
  const before = last?.state === "ended" ? last.id : null;
  try {
    return await carryOrFollow({ terminal, project, context, wish, stop, follower, live, before });
  } finally {
    await follower.close();
    await live.close();
    stop.close();
  }
}

/** Of several that race for the lock exactly one gets it; the others go on following. */
async function carryOrFollow(carrying: Carrying): Promise<number> {
  const { terminal, project, context, wish, stop, follower, live } = carrying;
  const { plan } = wish;
  const changes = watchChanges(context.store, context.clock);
  const signals = [stop.first, follower.ended];
  const engine = new EngineWatch({ terminal, context, plan, live, changes, signals });
  try {
    for (;;) {
      const code = await asEngine(project, context, plan.id, () => carry(carrying, engine));
      if (typeof code === "number") return code;
      await engine.untilGone();
      const outcome = follower.outcome();
      if (outcome !== null) return await followedToEnd(carrying, outcome);
      if (stop.first.aborted) return await leave(carrying, engine);
    }
  } finally {
    changes.close();
  }
}

/** Under the engine lock. What the engine before this one did is known here for certain. */
async function carry(carrying: Carrying, engine: EngineWatch): Promise<number> {
  const { terminal, context, wish, stop, follower, live, before } = carrying;
  if (stop.first.aborted) return leave(carrying, engine);
  const last = await context.store.lastRun(wish.plan.id);
  if (last?.state === "ended" && last.id !== before) return followedToEnd(carrying, last.outcome!);
  const takesOver = engine.followed !== null && last !== null;
  if (takesOver) terminal.note(`process ${engine.followed!.pid} is gone: carrying the run on`);
  live.show({ carrier: "self", note: null });
  stop.first.addEventListener("abort", () => {
    live.show({ note: "stopping when what is under way has ended; Ctrl-C once more ends it now" });
    void follower.noteStopping();
  });
  stop.second.addEventListener("abort", () => {
    live.show({ note: "ending what is under way now" });
    terminal.note("ending what is under way now");
  });
  const end = await runPlan(context, {
    ...wish,
    budgetUsd: null,
    ...(takesOver ? { carryOn: last.id } : {}),
    stop: stop.first,
    kill: stop.second,
    onAdopt: (attempts) => terminal.note(adoptText(attempts)),
    onTrouble: (message) => terminal.note(message),
    // The live view says what it waits for by itself.
    onWait: live.isShown ? () => undefined : waitTeller(terminal),
  });
  if ("rejection" in end) throw refused(end.rejection);
  await tellEnd(carrying, end);
  return (end.outcome === "stopped" ? stop.exitCode() : null) ?? EXIT_OF_RUN[end.outcome];
}

function adoptText(attempts: number): string {
  const what = attempts === 1 ? "1 attempt that was" : `${attempts} attempts that were`;
  return `adopts    ${what} under way when an engine ended: what lives goes on, what has ended is settled`;
}

async function followedToEnd(carrying: Carrying, outcome: RunOutcome): Promise<number> {
  const { context, wish } = carrying;
  await tellEnd(carrying, { outcome, held: null, summary: await summaryOf(context, wish.plan.id) });
  return EXIT_OF_RUN[outcome];
}

/** The run is somebody else's: it goes on. */
async function leave({ terminal, wish, stop, follower }: Carrying, { followed }: EngineWatch): Promise<number> {
  await follower.finish();
  const { name } = wish.plan;
  terminal.note(
    followed === null
      ? `nothing of ${name} was started`
      : `the run goes on, carried by process ${followed.pid} on ${followed.node}; \`lockstep stop ${name}\` ends it`,
  );
  return stop.exitCode()!;
}

async function tellEnd(carrying: Carrying, end: Omit<RunEnd, "run">): Promise<void> {
  const { terminal, context, wish, follower, live } = carrying;
  await follower.finish();
  await live.close();
  if (terminal.json) return;
  const { landed, outside, mended } = follower;
  await printSummary(terminal, context, { plan: wish.plan, agent: wish.agent, end, landed, outside, mended });
}
