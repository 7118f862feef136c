/** What must hold of every claim; told again from the spec, not from the gates that let it through. */

import { contentOf } from "../src/adapters/store/memory/state.ts";
import type { Event } from "../src/core/task/events.ts";
import type { TaskRow } from "../src/core/task/rows.ts";
import { ACCOUNTS } from "./plans.ts";
import type { Shadow } from "./shadow.ts";
import type { Violation, World } from "./world.ts";

const HOUR_MS = 3_600_000;

/** `event` has been applied already; `isVerdict`: a person's review, which waits for no gate but the dependencies. */
export function claimProblem(world: World, shadow: Shadow, event: Event, isVerdict: boolean): Violation | null {
  const own = shadow.of(event.plan, event.task);
  if (own === null || own.attempt === null)
    return { oracle: "intent is committed first", text: "claimed without an attempt" };
  const { edges, tasks } = contentOf(world.state, own.task.plan);
  for (const id of edges.get(own.task.id) ?? []) {
    const before = tasks.get(id);
    const isMet = before?.state === "verified" || (before?.state === "skipped" && before.satisfied);
    if (!isMet) return { oracle: "nothing starts before what it depends on", text: `${id} is ${before?.state}` };
  }
  if (isVerdict) return null;
  return dueProblem(world, own.task.id, event) ?? runProblem(world, shadow, event) ?? placeProblem(shadow, own);
}

/** Never early: what the events before this one said of its time. */
function dueProblem({ state }: World, task: string, { seq, at, plan }: Event): Violation | null {
  for (let i = seq - 2; i >= 0; i--) {
    const earlier = state.events[i]!;
    if (earlier.task !== task || earlier.plan !== plan || !("set" in earlier.data)) continue;
    const due = earlier.data.set.due_at;
    if (due === undefined) continue;
    return due !== null && due > at ? { oracle: "due_at is never early", text: `due in ${due - at} ms` } : null;
  }
  return null;
}

type Own = NonNullable<ReturnType<Shadow["of"]>>;

function runProblem(world: World, shadow: Shadow, event: Event): Violation | null {
  const { attempt } = shadow.of(event.plan, event.task) as Own;
  const run = shadow.runs.get(event.plan!);
  const isLive = run !== undefined && run.state !== "ended";
  if (isLive && run.state !== "running")
    return { oracle: "nothing starts in a run that does not run", text: run.state };
  const account = attempt?.kind === "run" ? ACCOUNTS[attempt.agent ?? ""] : undefined;
  const keys = [`agent:${attempt?.agent}`, `account:${account}`];
  const held = [...world.state.holds.values()].find(
    ({ key, over, until }) => keys.includes(key) && !over && (until === null || until > event.at),
  );
  if (held !== undefined) return { oracle: "nothing starts that is held", text: held.key };
  if (attempt?.kind !== "run") return null;
  if (!isLive) return { oracle: "nothing starts without a run", text: "no run" };
  return limitProblem(world, shadow, event, run);
}

function limitProblem(
  { setting: { engine }, state }: World,
  shadow: Shadow,
  { at, plan, task }: Event,
  run: NonNullable<ReturnType<Shadow["runs"]["get"]>>,
): Violation | null {
  const live = [...shadow.tasks.values()].filter(
    (other) => other.task.state === "in_progress" && other.attempt?.kind === "run",
  );
  const agent = shadow.of(plan, task)?.attempt?.agent ?? "";
  const ofAgent = live.filter((other) => other.attempt?.agent === agent).length;
  const most = engine.agentJobs[agent];
  const over = (what: string, n: number, cap: number | null | undefined): Violation | null =>
    cap !== null && cap !== undefined && n > cap
      ? { oracle: "never over a limit", text: `${n} ${what}, of ${cap}` }
      : null;
  const recent = state.events.filter(
    (e) => e.type === "attempt.created" && e.data.attempt.kind === "run" && e.data.attempt.started_at > at - HOUR_MS,
  ).length;
  if (run.budget_usd !== null && run.spent_usd >= run.budget_usd)
    return { oracle: "nothing starts when the budget is spent", text: `${run.spent_usd} of ${run.budget_usd}` };
  return (
    over("attempts at once in the project", live.length, engine.jobs) ??
    over("attempts at once in the run", live.filter((other) => other.task.plan === plan).length, run.jobs) ??
    over(`attempts at once of ${agent}`, ofAgent, most) ??
    over("attempts in the run", run.started, run.tasks_max) ??
    over("attempts within an hour", engine.hourly === null ? 0 : recent, engine.hourly)
  );
}

function placeProblem(shadow: Shadow, own: Own): Violation | null {
  // Of two that both wait with work that has not landed, either may go first.
  const isInTheWay = (task: TaskRow): boolean => isUnderway(task) && !(task.state === "pending" && own.task.unlanded);
  const others = [...shadow.tasks.values()].filter(({ task }) => task.id !== own.task.id && isInTheWay(task));
  const areas = new Set(own.definition.body.files_owned);
  const shared = others.find(({ definition }) => definition.body.files_owned.some((glob) => areas.has(glob)));
  if (shared) return { oracle: "owners never overlap", text: `${shared.task.id} is under way in the same files` };
  const other = own.task.mode === "in_place" ? others.find(({ task }) => task.mode === "in_place") : undefined;
  return other ? { oracle: "one task at a time in place", text: `${other.task.id} is under way` } : null;
}

function isUnderway({ state, unlanded }: TaskRow): boolean {
  return state === "in_progress" || state === "claimed_done" || (state === "pending" && unlanded);
}
