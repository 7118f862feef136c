/** Carries one plan to its end: one task at a time, each claimed, worked on, checked and landed before the next. */

import { invariant } from "../core/assert.ts";
import type { Rejection } from "../core/errors.ts";
import type { Closed } from "../core/schedule/gates.ts";
import { closedGates } from "../core/schedule/gates.ts";
import { runOutcome } from "../core/schedule/run-outcome.ts";
import type { PlanRow, RunOutcome, RunRow } from "../core/task/rows.ts";
import type { Answer, PlanSummary } from "../ports/store.ts";
import { claimTask } from "./claim.ts";
import type { EngineContext } from "./context.ts";
import { gatherFacts } from "./facts.ts";
import { landTask } from "./landing.ts";
import { candidateOf } from "./next.ts";
import { probePlace } from "./place.ts";
import { settleLeftovers } from "./recover.ts";
import { runAttempt } from "./run-attempt.ts";
import { sweep } from "./sweep.ts";
import type { Changes } from "./wait.ts";
import { watchChanges } from "./wait.ts";

/** The engine's own lease on an attempt; renewed never, because its holder is known by its process. */
const RUN_LEASE_MS = 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

export interface RunRequest {
  plan: PlanRow;
  /** The agent of tasks that name none; null takes the configured default. */
  agent: string | null;
  tasksMax: number | null;
  budgetUsd: number | null;
  /** How long to wait for something that comes due by itself; 0 ends parked at once. */
  maxWaitMs: number;
  /** Aborted: start nothing more, and end when what is live has ended. */
  stop: AbortSignal;
  /** Aborted: end what is live now. */
  kill: AbortSignal;
}

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
  await settleLeftovers(context);
  const run = await beginOrResume(context, request);
  if ("rejection" in run) return run;
  const changes = watchChanges(context.store, context.clock);
  try {
    while (await step({ context, request, run: run.id, changes }));
  } finally {
    changes.close();
  }
  return end(context, request, run.id);
}

/** A live run without an engine is carried on: its engine died. One that was stopping is ended first. */
async function beginOrResume(context: EngineContext, request: RunRequest): Promise<RunRow | { rejection: Rejection }> {
  const { plan } = request;
  const live = (await summaryOf(context, plan.id)).run;
  if (live?.state === "stopping") await end(context, request, live.id);
  else if (live) {
    const tasks_max = request.tasksMax === null ? null : live.started + request.tasksMax;
    await context.store.submit({ type: "run.resume", plan: plan.id, tasks_max }, { actor: context.actor });
    return live;
  }
  const { tasksMax, budgetUsd } = request;
  const id = context.ids.next();
  const answer = await context.store.submit(
    { type: "run.start", plan: plan.id, id, jobs: 1, tasks_max: tasksMax, budget_usd: budgetUsd },
    { actor: context.actor },
  );
  if (!answer.ok) return { rejection: answer.rejection };
  const { run } = await summaryOf(context, plan.id);
  invariant(run, "a run that was just started is live");
  return run;
}

interface Running {
  context: EngineContext;
  request: RunRequest;
  run: string;
  changes: Changes;
}

/** One look at the plan: does the first thing that can be done. False when the run is over. */
async function step(running: Running): Promise<boolean> {
  const { context, request, changes } = running;
  const { plan, stop, kill } = request;
  changes.clear();
  await sweep(context, plan.id);
  await landWhatWaits(context, request);
  if (kill.aborted) return stopRun(context, plan, "killed by its operator");
  if (stop.aborted) return stopRun(context, plan, "stopped by its operator");
  const summary = await summaryOf(context, plan.id);
  if (summary.run?.state === "stopping" || summary.run === null) return false;
  if (summary.run.state === "pausing")
    await context.store.submit({ type: "run.pause", plan: plan.id }, { actor: context.actor });
  if (summary.run.state !== "running") return waitUntil(running, Number.POSITIVE_INFINITY);
  if (summary.run.tasks_max !== null && summary.run.started >= summary.run.tasks_max)
    return stopRun(context, plan, `${summary.run.started} attempts were started, as many as --max-tasks allows`);
  // Asked before the look at what is ready: what falls due in between is then waited for, not missed.
  const due = await context.store.nextDue(context.project.id, plan.id);
  if (await startNext(running)) return true;
  return stayOrEnd(running, summary, due);
}

/** Lands what is claimed done, up to the first that somebody else lands or whose place somebody else has. */
async function landWhatWaits(context: EngineContext, { plan, kill }: RunRequest): Promise<void> {
  for (const record of await context.store.unlanded(plan.id, LANDINGS_PER_LOOK)) {
    const end = await landTask(context, record, plan.name, kill);
    if (!end.ended) return;
  }
}

const LANDINGS_PER_LOOK = 50;

async function startNext({ context, request, run }: Running): Promise<boolean> {
  const { plan, agent, kill } = request;
  const claim = {
    plan: plan.id,
    task: null,
    kind: "run",
    agent: agent ?? context.settings.agent,
    run,
    ttlMs: RUN_LEASE_MS,
    signal: kill,
  } as const;
  const { claimed } = await claimTask(context, claim);
  if (claimed === null) return false;
  await runAttempt(context, plan, claimed, kill);
  return true;
}

/** Waits while something live, or the clock, can still change the plan. */
async function stayOrEnd(running: Running, { tallies }: PlanSummary, due: number | null): Promise<boolean> {
  const { context, request } = running;
  const now = context.clock.now();
  const others = tallies.claimed_done > 0 || (await waitsForOthers(context, request));
  const isLive = others || tallies.in_progress > 0;
  if (!isLive && (due === null || due - now > request.maxWaitMs)) return false;
  const look = others ? now + OTHERS_LOOK_MS : Number.POSITIVE_INFINITY;
  return waitUntil(running, Math.min(due ?? Number.POSITIVE_INFINITY, look));
}

/** How often a run looks whether those whom it waits for still live: a death commits nothing. */
const OTHERS_LOOK_MS = 1_000;

const HELD_BY_OTHERS = new Set(["concurrency", "overlap", "workspace_busy", "agent_busy"]);

/** The next task could start but for a task that is under way, perhaps one of another plan. */
async function waitsForOthers(context: EngineContext, request: RunRequest): Promise<boolean> {
  const closed = await closedForNext(context, request);
  return closed.length > 0 && closed.every(({ code }) => HELD_BY_OTHERS.has(code));
}

/** What keeps the first ready task from starting, workspace aside. */
async function closedForNext(context: EngineContext, { plan, agent }: RunRequest): Promise<Closed[]> {
  const first = (await context.store.ready(plan.id, 1))[0];
  if (!first) return [];
  const asking = { kind: "run", agent: agent ?? context.settings.agent } as const;
  const facts = await gatherFacts(context, plan.id, asking.agent);
  return closedGates(facts, candidateOf(first, asking), context.clock.now());
}

async function waitUntil({ request, changes }: Running, until: number): Promise<true> {
  await changes.wait(until, [request.stop, request.kill]);
  return true;
}

async function stopRun(context: EngineContext, plan: PlanRow, why: string): Promise<boolean> {
  await context.store.submit({ type: "run.stop", plan: plan.id, why }, { actor: context.actor });
  return false;
}

async function end(context: EngineContext, request: RunRequest, run: string): Promise<RunEnd> {
  const { plan } = request;
  const summary = await summaryOf(context, plan.id);
  const due_later = (await context.store.nextDue(context.project.id, plan.id)) !== null;
  const held = await heldForPerson(context, request);
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

const FOR_A_PERSON = new Set(["disk", "budget_spent", "scope_unapproved"]);

/** What holds the next task that only a person can change, in words; null when nothing of the kind does. */
async function heldForPerson(context: EngineContext, request: RunRequest): Promise<string | null> {
  const first = (await context.store.ready(request.plan.id, 1))[0];
  if (!first) return null;
  const place = await probePlace(context, first);
  if ("code" in place) return place.text;
  const closed = await closedForNext(context, request);
  return closed.find((gate) => FOR_A_PERSON.has(gate.code))?.text ?? null;
}

async function summaryOf({ store }: EngineContext, plan: string): Promise<PlanSummary> {
  const summary = await store.summary(plan);
  invariant(summary, `plan ${plan} has no row`);
  return summary;
}
