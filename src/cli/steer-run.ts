/** What an operator does to the live run of a plan, from any terminal: submitted, and told what it waits for. */

import { livingEngines } from "../compose/engines.ts";
import type { RowCommand } from "../core/task/commands.ts";
import type { PlanRow, RunRow } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import { PAGE } from "../ports/store.ts";
import type { Call } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { refused } from "./failure.ts";
import { namedPlan } from "./named-plan.ts";

export interface Steering {
  /** The command, given the live run, or null where there is none: then the store says so. */
  wish(plan: PlanRow, run: RunRow | null): RowCommand;
  /** What has to be done besides, once the command was accepted. */
  then?(context: EngineContext, plan: PlanRow): Promise<void>;
}

/** Exit 1 with the machine's word where the run cannot be so steered. */
export async function steerRun(call: Call, { wish, then }: Steering): Promise<number> {
  const { session, terminal } = call;
  const plan = await namedPlan(call);
  const context = await session.context();
  const { store, actor } = context;
  const live = (await store.summary(plan.id))?.run ?? null;
  const answer = await store.submit(wish(plan, live), { actor });
  if (!answer.ok) throw refused(answer.rejection);
  await then?.(context, plan);
  const { id, state, outcome } = (await store.lastRun(plan.id))!;
  if (terminal.json) {
    terminal.printJson({ plan: plan.name, run: { id, state } });
    return EXIT.ok;
  }
  terminal.print(`${plan.name}: run ${outcome ?? state}`);
  const waits = await waitsFor(context, plan, state);
  if (waits !== null) terminal.note(waits);
  return EXIT.ok;
}

/** What has to end, or to begin, before the run is as it was asked to be; null when it is. */
async function waitsFor(context: EngineContext, plan: PlanRow, state: RunRow["state"]): Promise<string | null> {
  if (state === "paused" || state === "ended") return null;
  const engines = await livingEngines(context.store, context.project.id);
  // A run that is to stop is ended by whatever engine the project has; only its own one lets it go on, or pauses it.
  const heard = engines.filter((engine) => state === "stopping" || engine.plan === plan.id);
  if (heard.length === 0) return `no engine carries it: \`lockstep run ${plan.name}\` does`;
  if (state === "running") return null;
  const active = await context.store.active(plan.id, PAGE);
  if (active.length === 0) return null;
  return `it waits until ${active.map(({ row }) => row.id).join(", ")} has ended`;
}
