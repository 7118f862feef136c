/** Runs and attempts that were told to stop and that no engine carries: whoever is the project's engine ends them. */

import type { PlanRow, RunRow } from "../core/task/rows.ts";
import type { LiveRunner } from "../ports/runner.ts";
import type { TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { halted, NEVER } from "./halt.ts";
import { LiveMessages } from "./live-messages.ts";
import type { LiveTask } from "./live-task.ts";
import { keepAbandoned } from "./place.ts";
import { type Adopted, adoptLeftoversOf } from "./recover.ts";
import { attend } from "./run-attempt.ts";
import { endDeadChecks, endVoidLandings } from "./take-over.ts";

interface StoppingRun {
  plan: PlanRow;
  run: RunRow;
}

/**
 * For an engine that attends what is alive of every plan: asks it to end, and ends the runs of which nothing is alive.
 * What is claimed done stays so for the next run. `carried`: the plan whose run this engine carries, which it ends itself.
 */
export async function endStoppedRuns(context: EngineContext, carried: string): Promise<void> {
  for (const { plan, run } of await stoppingRuns(context, carried)) {
    const live = (await context.store.active(plan.id, PAGE)).filter(isOfRun);
    if (live.length === 0) await endRun(context, plan, run);
    for (const record of live) if (!record.attempt?.stop) await askToEnd(context, record, run);
  }
}

/**
 * For whoever leaves, or only took, the engine's lock: nobody attends what is alive, so this does until what is to end has
 * ended, runs and single attempts; hands on what operators said to agents that live on alone; and keeps the work of tasks
 * that were ended meanwhile, since no claim may come that would.
 */
export async function endAbandoned(context: EngineContext): Promise<void> {
  for (const { plan, run } of await stoppingRuns(context, null)) {
    await attendToEnd(context, await adoptLeftoversOf(context, plan), halted(whyOf(run)));
    await endRun(context, plan, run);
  }
  for (const plan of await context.store.plans(context.project.id)) {
    const isToEnd = ({ attempt }: TaskRecord): boolean => attempt?.stop != null;
    await attendToEnd(context, await adoptLeftoversOf(context, plan, undefined, isToEnd), NEVER);
    for (const { live, runner } of await adoptLeftoversOf(context, plan, undefined, isSteered))
      await handOnWishes(context, live, runner);
  }
  await endDeadChecks(context);
  await endVoidLandings(context);
  await keepAbandoned(context);
}

/** Operators gave it more time or a message, which it may not have got. */
function isSteered({ attempt, definition }: TaskRecord): boolean {
  return attempt !== null && (attempt.interrupts > 0 || attempt.timeout_ms > definition.timeout_ms);
}

async function handOnWishes(context: EngineContext, live: LiveTask, runner: LiveRunner): Promise<void> {
  const { timeout_ms, interrupts } = live.attempt;
  await runner.control({ type: "extend", timeout_ms });
  await new LiveMessages().handOn(context, live, interrupts, runner);
}

async function attendToEnd(context: EngineContext, adopted: readonly Adopted[], halt: AbortSignal): Promise<void> {
  const signals = { halt, leave: NEVER };
  await Promise.all(adopted.map(({ plan, live, runner }) => attend(context, plan, live, runner, signals)));
}

async function stoppingRuns(
  { store, project, processes }: EngineContext,
  carried: string | null,
): Promise<StoppingRun[]> {
  const { node } = processes.self();
  const elsewhere = (await store.engines(project.id)).filter((engine) => engine.node !== node);
  const found: StoppingRun[] = [];
  for (const plan of await store.plans(project.id)) {
    if (plan.id === carried || elsewhere.some((engine) => engine.plan === plan.id)) continue;
    const run = (await store.summary(plan.id))?.run;
    if (run?.state === "stopping") found.push({ plan, run });
  }
  return found;
}

function isOfRun({ row, attempt }: TaskRecord): boolean {
  return row.state === "in_progress" && attempt?.kind === "run";
}

async function askToEnd({ store, actor }: EngineContext, { row }: TaskRecord, run: RunRow): Promise<void> {
  const stop = { as: "interrupted", why: whyOf(run), then: null } as const;
  await store.submit({ type: "attempt.stop", plan: row.plan, task: row.id, ...stop }, { actor });
}

async function endRun({ store, actor }: EngineContext, plan: PlanRow, { id }: RunRow): Promise<void> {
  await store.submit({ type: "run.end", plan: plan.id, id, outcome: "stopped" }, { actor });
}

function whyOf({ reason }: RunRow): string {
  return reason ?? "stopped by an operator";
}
