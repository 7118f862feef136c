/** Carries one plan to its end: each task claimed, worked on, checked and landed, as many at once as may be. */

import { invariant } from "../core/assert.ts";
import type { Rejection } from "../core/errors.ts";
import { reject } from "../core/errors.ts";
import { runOutcome } from "../core/schedule/run-outcome.ts";
import type { RunOutcome, RunRow } from "../core/task/rows.ts";
import type { Answer, PlanSummary } from "../ports/store.ts";
import { liftTrials } from "./agent-trials.ts";
import { releaseMended } from "./answer.ts";
import type { EngineContext } from "./context.ts";
import { startHooks } from "./hooks.ts";
import { lookPatiently } from "./look-patiently.ts";
import { probePlace } from "./place.ts";
import { summaryOf } from "./plan-summary.ts";
import { adoptLeftovers, countLeftovers } from "./recover.ts";
import { firstReady, lookAhead } from "./run-loop.ts";
import type { RunRequest } from "./run-request.ts";
import { beginRunning } from "./running.ts";
import { SetAside } from "./set-aside.ts";

const DAY_MS = 24 * 3_600_000;

export const MAX_WAIT_DEFAULT_MS = DAY_MS;

export interface RunEnd {
  run: string;
  outcome: RunOutcome;
  /** What holds the next task and only a person can change, or null. */
  held: string | null;
  summary: PlanSummary;
}

/** Call only while holding the project's engine lock. */
export async function runPlan(context: EngineContext, request: RunRequest): Promise<RunEnd | { rejection: Rejection }> {
  const hooks = await startHooks(context, request.plan, context.settings.hooks, request.kill);
  try {
    return await carry(context, request);
  } finally {
    await hooks.close();
  }
}

async function carry(context: EngineContext, request: RunRequest): Promise<RunEnd | { rejection: Rejection }> {
  const onTrouble = once(request.onTrouble);
  const aside = new SetAside(context, request.plan.id, onTrouble);
  const left = request.onAdopt ? await countLeftovers(context) : 0;
  if (left > 0) request.onAdopt?.(left);
  const adopted = await adoptLeftovers(context, (task, error, plan) => aside.add(task, error, plan));
  await liftTrials(context);
  // An engine that died after a landing told nobody whom it had mended the guard for.
  await releaseMended(context, request.plan.id);
  // What a person did between runs is theirs; what came up while an agent lived on is still to be told.
  if (adopted.length === 0) await context.workspace.foreign({ fresh: true });
  const run = await beginOrResume(context, request, aside);
  if ("rejection" in run) return run;
  const running = beginRunning(context, request, run.id, adopted, aside);
  try {
    while (await lookPatiently(running, onTrouble));
  } finally {
    await running.close();
  }
  return end(context, request, run.id, aside, running.placeProblem);
}

/** The same words are told once. */
function once(tell: RunRequest["onTrouble"]): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (!told.has(message)) tell?.(message);
    told.add(message);
  };
}

/** Whoever stopped everything decides when it goes on. */
const RESUME = "`lockstep resume` first, when it may go on.";

/** A live run without an engine is carried on: its engine died. One that was stopping is ended first. */
async function beginOrResume(
  context: EngineContext,
  request: RunRequest,
  aside: SetAside,
): Promise<RunRow | { rejection: Rejection }> {
  const { plan } = request;
  const live = (await summaryOf(context, plan.id)).run;
  if (request.carryOn !== undefined) {
    if (live?.id === request.carryOn) return live;
    return { rejection: reject("no_run", `run ${request.carryOn} of plan ${plan.name} has ended`) };
  }
  if (live?.panic)
    return { rejection: reject("run_state", `plan ${plan.name} was stopped by a ${live.reason}`, RESUME) };
  if (live?.state === "stopping") await end(context, request, live.id, aside);
  else if (live) {
    const tasks_max = request.tasksMax === null ? null : live.started + request.tasksMax;
    await context.store.submit({ type: "run.resume", plan: plan.id, tasks_max }, { actor: context.actor });
    return live;
  }
  const { tasksMax, budgetUsd } = request;
  const id = context.ids.next();
  const answer = await context.store.submit(
    {
      type: "run.start",
      plan: plan.id,
      id,
      jobs: request.jobs ?? context.settings.jobs,
      tasks_max: tasksMax,
      budget_usd: budgetUsd,
    },
    { actor: context.actor },
  );
  if (!answer.ok) return { rejection: answer.rejection };
  const { run } = await summaryOf(context, plan.id);
  invariant(run, "a run that was just started is live");
  return run;
}

async function end(
  context: EngineContext,
  request: RunRequest,
  run: string,
  aside: SetAside,
  placeProblem: string | null = null,
): Promise<RunEnd> {
  const { plan } = request;
  const summary = await summaryOf(context, plan.id);
  const due_later =
    (await context.store.nextDue(plan.id)) !== null || (await lookAhead(context, request, aside)).opens_at !== null;
  const held =
    (await heldForPerson(context, request, aside)) ??
    (await stillReady(context, request, aside, placeProblem)) ??
    aside.held();
  const state = summary.run?.state ?? "stopping";
  const outcome = runOutcome({
    state,
    tallies: summary.tallies,
    open_items: summary.open_items,
    due_later,
    held_by_person: held !== null,
  });
  const answer: Answer = await context.store.submit(
    { type: "run.end", plan: plan.id, id: run, outcome },
    { actor: context.actor },
  );
  invariant(answer.ok || answer.rejection.code === "no_run", "a run ends once");
  return { run, outcome, held, summary: await summaryOf(context, plan.id) };
}

/** What kept the last place from being had counts only while a task still waits for one. */
async function stillReady(
  context: EngineContext,
  { plan }: RunRequest,
  aside: SetAside,
  placeProblem: string | null,
): Promise<string | null> {
  return placeProblem !== null && (await firstReady(context, plan.id, aside)) !== null ? placeProblem : null;
}

const FOR_A_PERSON = new Set(["disk", "budget_spent", "scope_unapproved"]);

/** What holds the next task that only a person can change, in words; null when nothing of the kind does. */
async function heldForPerson(context: EngineContext, request: RunRequest, aside: SetAside): Promise<string | null> {
  const first = await firstReady(context, request.plan.id, aside);
  if (!first) return null;
  const place = await probePlace(context, first);
  if ("code" in place) return place.text;
  const { closed, held } = await lookAhead(context, request, aside);
  return closed.find(({ code }) => FOR_A_PERSON.has(code))?.text ?? held;
}
