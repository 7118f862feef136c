/** Reads what a frame shows of a plan, in few looks however large the plan is. */

import type { ActiveTask, PlanFacts, WaitingTasks } from "../board/plan-facts.ts";
import { foreseenText } from "../core/attempt/foreseen.ts";
import { closedGates } from "../core/schedule/gates.ts";
import { isHeld } from "../core/schedule/holds.ts";
import { askedTogether, tasksText } from "../core/task/asked-together.ts";
import type { HoldRow, LandingRow, PlanRow, TaskRow } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import { gatherFacts } from "../engine/facts.ts";
import { landingTarget } from "../engine/landing-target.ts";
import { candidateOf } from "../engine/next.ts";
import type { Store, TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import { progressOf, standingOf } from "./state-words.ts";

/** Items that a frame may have room for. */
const ITEMS_SHOWN = 5;

/** Tasks whose landing is looked at: of one target only the first is checked, and no screen shows more targets. */
const LANDINGS_READ = 20;

/** Everything but what waits, and who carries the run. */
export async function readPlanFacts(store: Store, plan: PlanRow): Promise<PlanFacts> {
  const summary = (await store.summary(plan.id))!;
  const { counts, completion_pct } = standingOf(summary);
  const { open_items, run } = summary;
  return {
    plan: plan.name,
    revision: summary.plan.revision,
    run,
    carrier: "unasked",
    counts,
    ...progressOf(summary.tallies),
    completion_pct,
    active: await activeTasks(store, plan),
    items: open_items === 0 ? [] : await itemsAsked(store, plan),
    open_items,
    holds: await heldNow(store, plan.project),
    waits: [],
    due_at: run === null ? null : await store.nextDue(plan.id),
    note: null,
  };
}

/** One question that holds many tasks is shown once. */
async function itemsAsked(store: Store, plan: PlanRow): Promise<PlanFacts["items"]> {
  const asked = askedTogether(await store.openItems(plan.project, plan.id, PAGE)).slice(0, ITEMS_SHOWN);
  return asked.map(({ item, tasks }) => ({ ...item, task: tasksText(tasks) }));
}

/** What is held in the project now, the first to come free first. */
export async function heldNow(store: Store, project: string): Promise<HoldRow[]> {
  const now = Date.now();
  const endOf = ({ until }: HoldRow): number => until ?? Number.POSITIVE_INFINITY;
  return (await store.holds(project)).filter((hold) => isHeld(hold, now)).sort((a, b) => endOf(a) - endOf(b));
}

async function activeTasks(store: Store, plan: PlanRow): Promise<ActiveTask[]> {
  const records = await store.active(plan.id, PAGE);
  const targets = new Set(records.filter(isClaimedDone).slice(0, LANDINGS_READ).map(landingTarget));
  const landings: LandingRow[] = [];
  for (const target of targets) {
    const landing = await store.landing(plan.project, target);
    if (landing?.plan === plan.id) landings.push(landing);
  }
  return records.map((record) => activeTask(record, landings.find(({ task }) => task === record.row.id) ?? null));
}

function isClaimedDone({ row }: TaskRecord): boolean {
  return row.state === "claimed_done";
}

function activeTask({ row, attempt }: TaskRecord, landing: LandingRow | null): ActiveTask {
  const { id, title, state, attempts, started_at } = row;
  const conflicts = (attempt?.foreseen ?? []).map(foreseenText);
  const about = { id, title, state, attempt: attempts, agent: attempt?.agent ?? null, conflicts };
  if (state === "claimed_done")
    return {
      ...about,
      doing: landingText(landing),
      progress: null,
      since: landing?.begun_at ?? attempt?.ended_at ?? null,
    };
  const doing = attempt?.stop ? `stopping: ${attempt.stop.why}` : null;
  return { ...about, doing, progress: attempt?.progress ?? null, since: attempt?.started_at ?? started_at };
}

function landingText(landing: LandingRow | null): string {
  if (landing === null) return "waits for its checks";
  return landing.check === null ? "lands" : `checks \`${landing.check.command}\``;
}

/** Pending tasks that are looked at, again at every change of the plan. */
const PENDING_READ = 100;

/** Ready tasks of which it is asked what holds them: the first that is held says it for the others. */
const READY_READ = 10;

/** Why pending tasks wait, told of the first of them where there are many. */
export async function readWaits(context: EngineContext, plan: string, agent: string | null): Promise<WaitingTasks[]> {
  const { store, clock } = context;
  const now = clock.now();
  const rows = await store.tasks(plan, { state: "pending", offset: 0, limit: PENDING_READ });
  if (rows.length === 0) return [];
  const ready = rows.filter((row) => whyByItself(row, now) === null).length;
  const held = ready === 0 ? null : await firstHeld(context, plan, agent, now);
  const counts = new Map<string, number>();
  for (const row of rows) {
    const why = whyByItself(row, now) ?? (held === null ? "ready" : `ready: ${held}`);
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  const at_least = rows.length === PENDING_READ;
  return [...counts].map(([why, count]) => ({ count, at_least, why })).sort((a, b) => b.count - a.count);
}

/** What the row alone tells. */
function whyByItself({ unmet, dead, due_at }: TaskRow, now: number): string | null {
  if (dead > 0) return "behind tasks that ended unverified";
  if (unmet > 0) return "for tasks that are not verified yet";
  return due_at !== null && due_at > now ? "not before their time" : null;
}

async function firstHeld(
  context: EngineContext,
  plan: string,
  agent: string | null,
  now: number,
): Promise<string | null> {
  const facts = await gatherFacts(context, plan, agent);
  const kind = facts.run === null ? "external" : "run";
  for (const task of await context.store.ready(plan, READY_READ)) {
    const closed = closedGates(facts, candidateOf(task, { kind, agent: task.definition.agent ?? agent }), now)[0];
    if (closed) return closed.text;
  }
  return null;
}
