/** Runs a plan under the project's engine lock, tells of it, and turns its end into an exit code. */

import { asEngine } from "../../compose/engine-lock.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { runPlan } from "../../engine/run.ts";
import type { Call } from "../command.ts";
import { engineHeld } from "../engine-held.ts";
import { EXIT_OF_RUN } from "../exit-codes.ts";
import { refused } from "../failure.ts";
import { stopSignals } from "../stop-signals.ts";
import { followRun } from "./follow-run.ts";
import { printSummary } from "./summary.ts";
import { waitTeller } from "./wait-text.ts";

export interface RunWish {
  plan: PlanRow;
  agent: string | null;
  tasksMax: number | null;
  jobs: number | null;
  maxWaitMs: number;
}

export async function carryOut(call: Call, context: EngineContext, wish: RunWish): Promise<number> {
  const project = await call.session.project();
  const end = await asEngine(project, context, () => runAsEngine(call, context, wish));
  if (typeof end === "number") return end;
  throw engineHeld(end.engines);
}

async function runAsEngine({ terminal }: Call, context: EngineContext, wish: RunWish): Promise<number> {
  const { plan } = wish;
  const stop = stopSignals();
  const follower = await followRun(terminal, context, plan);
  stop.first.addEventListener("abort", () => void follower.noteStopping());
  stop.second.addEventListener("abort", () => terminal.note("ending what is under way now"));
  try {
    const signals = { stop: stop.first, kill: stop.second };
    const end = await runPlan(context, { ...wish, budgetUsd: null, ...signals, onWait: waitTeller(terminal) });
    await follower.finish();
    if ("rejection" in end) throw refused(end.rejection);
    if (!terminal.json) await printSummary(terminal, context, { plan, agent: wish.agent, end, ...follower });
    return (end.outcome === "stopped" ? stop.exitCode() : null) ?? EXIT_OF_RUN[end.outcome];
  } finally {
    stop.close();
  }
}
