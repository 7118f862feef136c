/** The run's loop: looks at the plan, does all that can be done, and waits for what changes it. */

import { walkLimit } from "../core/schedule/decide.ts";
import type { Closed } from "../core/schedule/gates.ts";
import { closedGates } from "../core/schedule/gates.ts";
import { heldForPerson } from "../core/schedule/held-for-person.ts";
import { isHeld } from "../core/schedule/holds.ts";
import type { PlanRow, RunRow } from "../core/task/rows.ts";
import type { ReadyTask, TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import { claimTask } from "./claim.ts";
import type { EngineContext } from "./context.ts";
import { endStoppedRuns } from "./end-stopped.ts";
import { gatherFacts } from "./facts.ts";
import { RUN_LEASE_MS } from "./keep-lease.ts";
import { landTask } from "./landing.ts";
import { type Passed, walkQueue } from "./landing-queue.ts";
import { candidateOf } from "./next.ts";
import { summaryOf } from "./plan-summary.ts";
import { adoptTask } from "./recover.ts";
import { attend, runAttempt } from "./run-attempt.ts";
import type { RunRequest } from "./run-request.ts";
import { type Running, setAsideUnless } from "./running.ts";
import type { SetAside } from "./set-aside.ts";
import { sweep } from "./sweep.ts";

/** One look at the plan. False when the run is over, and then nothing of it is live. */
export async function step(running: Running): Promise<boolean> {
  const { context, request, changes, attempts, landings } = running;
  const { plan, stop, kill } = request;
  changes.clear();
  attempts.check();
  landings.check();
  running.trials.check();
  running.looks.check();
  await tellOfJump(running);
  await sweep(context, plan.id, (task, error) => running.aside.add(task, error));
  await running.aside.noteUnreadable();
  await tryAgain(running);
  await endStoppedRuns(context, plan.id);
  if (kill.aborted || stop.aborted)
    return finish(running, kill.aborted ? "killed by its operator" : "stopped by its operator");
  const { run, tallies } = await summaryOf(context, plan.id);
  if (run === null || run.state === "stopping") return stopAll(running, run?.reason ?? null);
  if (run.state !== "running") return pauseAll(running, run);
  running.agents.lift();
  running.checks.lift();
  // One that finds nothing to land would end without waking the loop, which had taken it for something live.
  const mayLand = landings.size === 0 && tallies.claimed_done > 0;
  if (mayLand && (await context.store.unlanded(plan.id, PAGE)).length > 0) landings.begin(landWhatWaits(running));
  await lookOutside(running);
  if (run.tasks_max !== null && run.started >= run.tasks_max)
    return finish(running, `${run.started} attempts were started, as many as --max-tasks allows`);
  // Asked before the look at what is ready: what falls due in between is then waited for, not missed.
  const due = await context.store.nextDue(plan.id);
  while (attempts.size < run.jobs && (await startNext(running)));
  return stayOrEnd(running, due);
}

/** At what waits for people of a forge. */
async function lookOutside({ pulls, looks, leave, request }: Running): Promise<void> {
  if (looks.size > 0 || !(await pulls.isDue())) return;
  looks.begin(pulls.look(AbortSignal.any([leave, request.stop, request.kill])));
}

/** Times to come are looked at anew at every look: that the clock jumped only has to be told. */
async function tellOfJump({ context: { store, actor }, request, clockWatch }: Running): Promise<void> {
  const ms = clockWatch.jumped();
  if (ms !== null) await store.submit({ type: "clock.jump", plan: request.plan.id, ms }, { actor });
}

/** An operator's stop ends agents and checks at once; a task that is claimed done stays so for the next run. */
async function stopAll(running: Running, why: string | null): Promise<false> {
  running.agents.now(why ?? "stopped by its operator");
  running.checks.now("stopped by its operator");
  await running.attempts.settled();
  await running.landings.settled();
  return false;
}

/** A pause ends the agents, lets a check under way finish, and lands nothing more; a panic kills them all. */
async function pauseAll(running: Running, { state, panic, reason }: RunRow): Promise<true> {
  const { context, request, attempts, landings } = running;
  const why = reason ?? "paused by its operator";
  running.agents.now(why, panic);
  if (panic) running.checks.now(why);
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

/** Lands what is claimed done, the head of the queue first, but for what somebody else lands. */
function landWhatWaits(running: Running): Promise<boolean> {
  const { context, request, agents, checks, aside } = running;
  return walkQueue(context, {
    plan: request.plan.id,
    isLeft: ({ row }) => aside.has(row.id),
    isOver: () => agents.signal.aborted || checks.signal.aborted,
    land: (record) => landOne(running, record),
  });
}

/** `waits`: another attempt has its place now, perhaps one that is claimed done itself. */
async function landOne({ context, request, checks, aside }: Running, record: TaskRecord): Promise<Passed> {
  const { id } = record.row;
  try {
    const end = await landTask(context, record, request.plan.name, checks.signal);
    if (end.ended) aside.forget(id);
    if (end.ended) return "done";
    return end.held === null ? "waits" : "target_held";
  } catch (error) {
    await aside.add(id, error);
    return "done";
  }
}

/** Takes up attempts that this engine could not go on with; whatever else was set aside is simply not aside any more. */
async function tryAgain(running: Running): Promise<void> {
  const { context, request, attempts, agents, leave, aside } = running;
  for (const task of aside.takeDue()) {
    try {
      for (const { plan, live, runner } of await adoptTask(context, request.plan, task)) {
        const attended = attend(context, plan, live, runner, { halt: agents.signal, leave });
        attempts.begin(setAsideUnless(attended, aside, live.task.row));
      }
    } catch (error) {
      await aside.add(task, error);
    }
  }
}

/** Claims the next task and sends its agent off. */
async function startNext(running: Running): Promise<boolean> {
  const { context, request, run, attempts, agents, leave, aside } = running;
  const { plan, agent, kill } = request;
  const asking = { plan: plan.id, task: null, kind: "run", agent: agent ?? context.settings.agent } as const;
  const answer = await claimTask(context, {
    ...asking,
    run,
    ttlMs: RUN_LEASE_MS,
    signal: kill,
    isAside: (task) => aside.has(task),
    mayStart: (name) => running.trials.mayStart(name),
    failed: (task, error) => aside.add(task, error),
  });
  const { claimed } = answer;
  running.placeProblem = "rejection" in answer ? (answer.rejection?.message ?? null) : null;
  if (claimed === null) return false;
  const attempt = runAttempt(context, plan, claimed, { halt: agents.signal, leave });
  attempts.begin(setAsideUnless(attempt, aside, claimed.task.row));
  return true;
}

/** Waits while something live, or the clock, can still change the plan. `due_at`: of the store. */
async function stayOrEnd(running: Running, due_at: number | null): Promise<boolean> {
  const { context, request, aside } = running;
  const { tallies, open_items, run } = await summaryOf(context, request.plan.id);
  // It was paused or stopped since this look began: the next one sees to that.
  if (run?.state !== "running") return true;
  const now = context.clock.now();
  const again = aside.nextMs();
  const [working, waiting] = [await notLeft(running, "in_progress"), await notLeft(running, "claimed_done")];
  const { closed, opens_at } = await lookAhead(context, request, aside);
  // What was put off waits for its time like anything else that is due, and for nobody.
  const putOff = waiting === 0 ? 0 : await putOffCount(context, request.plan.id);
  const others = waiting > putOff || isHeldByOthers(closed);
  const due = earlier(earlier(due_at, opens_at), running.pulls.nextAt());
  const space = shortOfSpace(running, closed, now);
  const atWork = [running.attempts, running.landings, running.looks, running.trials].some(({ size }) => size > 0);
  const isLive = others || space !== null || working > 0 || atWork || again !== null;
  const idle = !isLive && (due === null || due - now > request.maxWaitMs);
  if (idle && request.stay !== true) return false;
  if (!atWork && request.onWait) {
    const items = open_items + (await heldCount(context));
    const inHand = tallies.in_progress + tallies.claimed_done - putOff;
    request.onWait({ others: inHand, put_off: putOff, items, until: due, space, idle });
  }
  const look = now + (others ? OTHERS_LOOK_MS : space === null ? Number.POSITIVE_INFINITY : SPACE_LOOK_MS);
  return waitUntil(running, Math.min(due ?? Number.POSITIVE_INFINITY, look, now + (again ?? Number.POSITIVE_INFINITY)));
}

/** What is held until a person comes stands in the inbox, too. */
async function heldCount({ store, project, settings, clock }: EngineContext): Promise<number> {
  return heldForPerson(await store.holds(project.id), settings.draws, clock.now()).length;
}

async function putOffCount({ store, clock }: EngineContext, plan: string): Promise<number> {
  const rows = await store.tasks(plan, { state: "claimed_done", offset: 0, limit: PAGE });
  return rows.filter(({ due_at }) => due_at !== null && due_at > clock.now()).length;
}

/** How many tasks are in a state, but for those that are left there for a person to mend something. */
async function notLeft({ context, request, aside }: Running, state: "in_progress" | "claimed_done"): Promise<number> {
  const counted = (await summaryOf(context, request.plan.id)).tallies[state];
  if (counted === 0 || aside.held() === null) return counted;
  const rows = await context.store.tasks(request.plan.id, { state, offset: 0, limit: PAGE });
  return counted - rows.filter(({ id }) => aside.isLeft(id)).length;
}

/** How often a run looks whether those whom it waits for still live: a death commits nothing. */
const OTHERS_LOOK_MS = 1_000;

const HELD_BY_OTHERS = new Set(["concurrency", "overlap", "workspace_busy", "agent_busy"]);

/** How often a run looks whether there is space again: whoever frees some tells nobody. */
const SPACE_LOOK_MS = 5_000;

/** What there is too little of, in words, while nothing else that does not pass by itself holds the next task; null beyond the longest wait. */
function shortOfSpace(running: Running, closed: readonly Closed[], now: number): string | null {
  const gate = closed.find(({ code }) => code === "disk");
  const isAll = closed.every(({ code }) => code === "disk" || HELD_BY_OTHERS.has(code));
  running.shortSince = gate !== undefined && isAll ? (running.shortSince ?? now) : null;
  if (gate === undefined || running.shortSince === null) return null;
  return now - running.shortSince < running.request.maxWaitMs ? gate.text : null;
}

/** The next task could start but for a task that is under way, perhaps one of another plan. */
function isHeldByOthers(closed: readonly Closed[]): boolean {
  return closed.length > 0 && closed.every(({ code }) => HELD_BY_OTHERS.has(code));
}

/**
 * When the next task could start by itself, milliseconds since 1970; null: only others, or a person, can let it. What
 * others hold beside that is looked at again then.
 */
function opensAt(closed: readonly Closed[]): number | null {
  const own = closed.filter(({ code }) => !HELD_BY_OTHERS.has(code));
  const times = own.flatMap(({ until }) => until ?? []);
  return own.length > 0 && times.length === own.length ? Math.max(...times) : null;
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

export interface Ahead {
  /** What keeps the first ready task from starting, workspace aside. */
  closed: Closed[];
  /** When it, or one behind it that a hold keeps from starting, could start by itself, milliseconds since 1970. */
  opens_at: number | null;
  /** What holds one of them until a person comes, in words: a login that is not accepted, nothing left to pay with. */
  held: string | null;
}

export async function lookAhead(context: EngineContext, { plan, agent }: RunRequest, aside: SetAside): Promise<Ahead> {
  const first = await firstReady(context, plan.id, aside);
  if (!first) return { closed: [], opens_at: null, held: null };
  const asking = { kind: "run", agent: agent ?? context.settings.agent } as const;
  const facts = await gatherFacts(context, plan.id, asking.agent);
  const now = context.clock.now();
  const closedFor = (task: ReadyTask): Closed[] => closedGates(facts, candidateOf(task, asking), now);
  const closed = closedFor(first);
  let opens_at = opensAt(closed);
  let held: string | null = null;
  // One that waits for a person must not hide that the next only waits for a limit to be over.
  const others = facts.holds.some((hold) => isHeld(hold, now)) ? await context.store.ready(plan.id, walkLimit(1)) : [];
  for (const task of others.filter(({ row }) => !aside.has(row.id))) {
    const gates = closedFor(task);
    const hold = gates.find(({ code }) => code === "model_held");
    if (hold !== undefined) opens_at = earlier(opens_at, opensAt(gates));
    if (hold?.until === null) held ??= hold.text;
  }
  return { closed, opens_at, held };
}

/** The first ready task that is not set aside. */
export async function firstReady({ store }: EngineContext, plan: string, aside: SetAside): Promise<ReadyTask | null> {
  const first = (await store.ready(plan, 1)).find(({ row }) => !aside.has(row.id));
  if (first !== undefined) return first;
  return (await store.ready(plan, PAGE)).find(({ row }) => !aside.has(row.id)) ?? null;
}

/** Clocks of two machines differ: what is due by one may be refused by the other for a moment, which must not spin. */
const PAUSE_MS_MIN = 20;

async function waitUntil({ context, request, changes }: Running, until: number): Promise<true> {
  await changes.wait(Math.max(until, context.clock.now() + PAUSE_MS_MIN), [request.stop, request.kill]);
  return true;
}

async function stopRun(context: EngineContext, plan: PlanRow, why: string): Promise<boolean> {
  await context.store.submit({ type: "run.stop", plan: plan.id, why }, { actor: context.actor });
  return false;
}
