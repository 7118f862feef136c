/** The run's loop: looks at the plan, does all that can be done, and waits for what changes it. */

import type { Closed } from "../core/schedule/gates.ts";
import { closedGates } from "../core/schedule/gates.ts";
import type { PlanRow, RunRow } from "../core/task/rows.ts";
import { claimTask } from "./claim.ts";
import type { EngineContext } from "./context.ts";
import { endStoppedRuns } from "./end-stopped.ts";
import { gatherFacts } from "./facts.ts";
import { RUN_LEASE_MS } from "./keep-lease.ts";
import { landTask } from "./landing.ts";
import { candidateOf } from "./next.ts";
import { summaryOf } from "./plan-summary.ts";
import { runAttempt } from "./run-attempt.ts";
import type { RunRequest } from "./run-request.ts";
import type { Running } from "./running.ts";
import { sweep } from "./sweep.ts";

/** One look at the plan. False when the run is over, and then nothing of it is live. */
export async function step(running: Running): Promise<boolean> {
  const { context, request, changes, attempts, landings } = running;
  const { plan, stop, kill } = request;
  changes.clear();
  attempts.check();
  landings.check();
  await sweep(context, plan.id);
  await endStoppedRuns(context, plan.id);
  if (kill.aborted || stop.aborted)
    return finish(running, kill.aborted ? "killed by its operator" : "stopped by its operator");
  const { run } = await summaryOf(context, plan.id);
  if (run === null || run.state === "stopping") return stopAll(running, run?.reason ?? null);
  if (run.state !== "running") return pauseAll(running, run.state);
  running.agents.lift();
  if (landings.size === 0) landings.begin(landWhatWaits(running));
  if (run.tasks_max !== null && run.started >= run.tasks_max)
    return finish(running, `${run.started} attempts were started, as many as --max-tasks allows`);
  // Asked before the look at what is ready: what falls due in between is then waited for, not missed.
  const due = await context.store.nextDue(context.project.id, plan.id);
  while (attempts.size < run.jobs && (await startNext(running)));
  return stayOrEnd(running, due);
}

/** An operator's stop ends agents and checks at once; a task that is claimed done stays so for the next run. */
async function stopAll(running: Running, why: string | null): Promise<false> {
  running.agents.now(why ?? "stopped by its operator");
  running.checks.now("stopped by its operator");
  await running.attempts.settled();
  await running.landings.settled();
  return false;
}

/** A pause ends the agents, lets a check under way finish, and lands nothing more. */
async function pauseAll(running: Running, state: RunRow["state"]): Promise<true> {
  const { context, request, attempts, landings } = running;
  running.agents.now("paused by its operator");
  if (state === "pausing" && attempts.size === 0 && landings.size === 0)
    await context.store.submit({ type: "run.pause", plan: request.plan.id }, { actor: context.actor });
  return waitUntil(running, Number.POSITIVE_INFINITY);
}

/** Lets what is live end, lands what it left, and says why the run stops, where that has not been said. */
async function finish(running: Running, why: string | null): Promise<false> {
  const { context, request, attempts, landings } = running;
  await attempts.settled();
  await landings.settled();
  if (!request.kill.aborted) await landWhatWaits(running);
  if (why !== null) await stopRun(context, request.plan, why);
  return false;
}

const LANDINGS_PER_LOOK = 50;

/** Lands what is claimed done, up to the first that somebody else lands or whose place somebody else has. */
async function landWhatWaits({ context, request: { plan }, agents, checks }: Running): Promise<boolean> {
  let landed = false;
  for (const record of await context.store.unlanded(plan.id, LANDINGS_PER_LOOK)) {
    const end = await landTask(context, record, plan.name, checks.signal);
    if (!end.ended) return landed;
    landed = true;
    if (agents.signal.aborted) return landed;
  }
  return landed;
}

/** Claims the next task and sends its agent off. */
async function startNext(running: Running): Promise<boolean> {
  const { context, request, run, attempts, agents, leave } = running;
  const { plan, agent, kill } = request;
  const asking = { plan: plan.id, task: null, kind: "run", agent: agent ?? context.settings.agent } as const;
  const answer = await claimTask(context, { ...asking, run, ttlMs: RUN_LEASE_MS, signal: kill });
  const { claimed } = answer;
  running.placeProblem = "rejection" in answer ? (answer.rejection?.message ?? null) : null;
  if (claimed === null) return false;
  attempts.begin(runAttempt(context, plan, claimed, { halt: agents.signal, leave }).then(() => true));
  return true;
}

/** Waits while something live, or the clock, can still change the plan. */
async function stayOrEnd(running: Running, due: number | null): Promise<boolean> {
  const { context, request, attempts, landings } = running;
  const { tallies, open_items } = await summaryOf(context, request.plan.id);
  const now = context.clock.now();
  const others = tallies.claimed_done > 0 || (await waitsForOthers(context, request));
  const isLive = others || tallies.in_progress > 0 || attempts.size > 0 || landings.size > 0;
  if (!isLive && (due === null || due - now > request.maxWaitMs)) return false;
  if (attempts.size === 0 && landings.size === 0)
    request.onWait?.({ others: tallies.in_progress + tallies.claimed_done, items: open_items, until: due });
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
export async function closedForNext(context: EngineContext, { plan, agent }: RunRequest): Promise<Closed[]> {
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
