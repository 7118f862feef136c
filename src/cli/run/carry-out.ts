/** Runs a plan under the project's engine lock, tells of it, and turns its end into an exit code. */

import { asEngine } from "../../compose/engine-lock.ts";
import type { PlanRow, RunOutcome } from "../../core/task/rows.ts";
import type { EngineContext } from "../../engine/context.ts";
import { runPlan } from "../../engine/run.ts";
import type { Call } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure, refused } from "../failure.ts";
import { stopSignals } from "../stop-signals.ts";
import { followRun } from "./follow-run.ts";
import { printSummary } from "./summary.ts";

export interface RunWish {
  plan: PlanRow;
  agent: string | null;
  tasksMax: number | null;
  jobs: number | null;
  maxWaitMs: number;
}

const EXITS: Readonly<Record<RunOutcome, number>> = {
  done: EXIT.ok,
  failed: EXIT.tasks_failed,
  needs_person: EXIT.needs_person,
  parked: EXIT.parked,
  stopped: EXIT.ok,
};

export async function carryOut(call: Call, context: EngineContext, wish: RunWish): Promise<number> {
  const project = await call.session.project();
  const end = await asEngine(project, context, () => runAsEngine(call, context, wish));
  if (typeof end === "number") return end;
  const who = end.engines.map(({ pid, node }) => `process ${pid} on ${node}`).join(", ") || "another process";
  const hint = "Wait until it has ended, or stop it: `lockstep status` shows what it does.";
  throw new Failure("engine_held", `an engine runs in this project already: ${who}`, hint);
}

async function runAsEngine({ terminal }: Call, context: EngineContext, wish: RunWish): Promise<number> {
  const { plan } = wish;
  const stop = stopSignals();
  const follower = await followRun(terminal, context, plan);
  stop.first.addEventListener("abort", () => void follower.noteStopping());
  stop.second.addEventListener("abort", () => terminal.note("ending what is under way now"));
  try {
    const end = await runPlan(context, { ...wish, budgetUsd: null, stop: stop.first, kill: stop.second });
    await follower.finish();
    if ("rejection" in end) throw refused(end.rejection);
    if (!terminal.json)
      await printSummary(terminal, context, { plan, agent: wish.agent, end, landed: follower.landed });
    return (end.outcome === "stopped" ? stop.exitCode() : null) ?? EXITS[end.outcome];
  } finally {
    stop.close();
  }
}
