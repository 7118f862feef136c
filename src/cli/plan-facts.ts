/** Reads what a frame shows of a plan, in few looks however large the plan is. */

import type { ActiveTask, FailedTasks, PlanFacts, StuckRun } from "../board/plan-facts.ts";
import { type CareOf, careIn } from "../compose/care.ts";
import { foreseenText } from "../core/attempt/foreseen.ts";
import { type Care, isLeft, leftWords } from "../core/schedule/care.ts";
import { type HeldForPerson, heldForPerson, heldOf, needsRelease } from "../core/schedule/held-for-person.ts";
import { isHeld } from "../core/schedule/holds.ts";
import { ordinal, placeInQueue, type QueuedTask, type QueuePlace } from "../core/schedule/landing-queue.ts";
import { askedTogether, tasksText } from "../core/task/asked-together.ts";
import { isWaitedFor } from "../core/task/item-words.ts";
import type { HoldRow, ItemRow, LandingRow, PlanRow, RunRow, TaskRow } from "../core/task/rows.ts";
import type { EngineContext } from "../engine/context.ts";
import { landingTarget } from "../engine/landing-target.ts";
import type { Store, TaskRecord } from "../ports/store.ts";
import { PAGE } from "../ports/store.ts";
import { firstLine } from "./event-text.ts";
import { nextStep } from "./run/next-step.ts";
import { progressOf, standingOf } from "./state-words.ts";

/** Items that a frame may have room for. */
const ITEMS_SHOWN = 5;

/** Tasks whose landing is looked at: of one target only the first is checked, and no screen shows more targets. */
const LANDINGS_READ = 20;

/** Everything but what waits, and who carries the run. */
export async function readPlanFacts(store: Store, plan: PlanRow, draws: AskDraws): Promise<PlanFacts> {
  const summary = (await store.summary(plan.id))!;
  const { counts, completion_pct } = standingOf(summary);
  const { open_items, run } = summary;
  const items = open_items === 0 ? [] : await store.openItems(plan.project, plan.id, PAGE);
  const holds = await heldNow(store, plan.project);
  const releases = await releasesOf(holds, draws);
  const active = await store.active(plan.id, PAGE);
  const own = holds.length === 0 ? [] : heldOf(holds, (await draws()).settings.draws);
  const released = new Set(releases.map(({ hold }) => hold));
  return {
    plan: plan.name,
    revision: summary.plan.revision,
    run,
    carrier: "unasked",
    counts,
    ...progressOf(summary.tallies),
    completion_pct,
    active: await activeTasks(store, plan, active, items, await careIn(store, plan, run)),
    items: itemsAsked(items),
    open_items,
    stuck: stuckOn(run, active, items),
    holds: own.filter((hold) => !released.has(hold)),
    held_elsewhere: holds.length - own.length,
    releases,
    waits: [],
    failed: null,
    due_at: run === null ? null : await store.nextDue(plan.id),
    note: null,
  };
}

/** Workers from outside take no place of the run. */
function stuckOn(run: RunRow | null, active: readonly TaskRecord[], items: readonly ItemRow[]): StuckRun | null {
  const atWork = active.filter(({ row, attempt }) => row.state === "in_progress" && attempt?.kind === "run");
  const awaited = atWork.flatMap(({ row }) => waitedItem(items, row.id) ?? []);
  if (run === null || run.state !== "running" || awaited.length < run.jobs) return null;
  return { places: run.jobs, items: awaited };
}

/** One question that holds many tasks is shown once. */
function itemsAsked(items: readonly ItemRow[]): PlanFacts["items"] {
  const asked = askedTogether(items).slice(0, ITEMS_SHOWN);
  return asked.map(({ item, tasks }) => ({ ...item, task: tasksText(tasks) }));
}

/** What is held in the project now, the first to come free first. */
export async function heldNow(store: Store, project: string): Promise<HoldRow[]> {
  const now = Date.now();
  const endOf = ({ until }: HoldRow): number => until ?? Number.POSITIVE_INFINITY;
  return (await store.holds(project)).filter((hold) => isHeld(hold, now)).sort((a, b) => endOf(a) - endOf(b));
}

/** What the agents draw on stands in the configuration, which is only read where it matters. */
export type AskDraws = () => Promise<Pick<EngineContext, "settings">>;

/** Of what is held now, all that waits for a person. */
export async function releasesOf(holds: readonly HoldRow[], draws: AskDraws): Promise<HeldForPerson[]> {
  const now = Date.now();
  if (!holds.some((hold) => needsRelease(hold, now))) return [];
  return heldForPerson(holds, (await draws()).settings.draws, now);
}

/** What is done with each of these tasks now. */
export async function activeTasks(
  store: Store,
  plan: PlanRow,
  records: readonly TaskRecord[],
  items: readonly ItemRow[],
  careOf: CareOf,
): Promise<ActiveTask[]> {
  const targets = new Set(records.filter(isClaimedDone).slice(0, LANDINGS_READ).map(landingTarget));
  const queues = new Map<string, TargetQueue>();
  for (const target of targets)
    queues.set(target, {
      landing: await store.landing(plan.project, target),
      queue: await store.landingQueue(plan.project, target, PAGE),
    });
  return records.map((record) => {
    const { landing, queue } = queues.get(landingTarget(record)) ?? NOBODY;
    const own = landing?.plan === plan.id && landing.task === record.row.id ? landing : null;
    const waited = waitedItem(items, record.row.id);
    return activeTask(record, own, placeInQueue(queue, landing, record.row), waited, careOf(record, own));
  });
}

/** What is landed on one target, and what waits for it. */
interface TargetQueue {
  landing: LandingRow | null;
  queue: QueuedTask[];
}

const NOBODY: TargetQueue = { landing: null, queue: [] };

function isClaimedDone({ row }: TaskRecord): boolean {
  return row.state === "claimed_done";
}

/** What a person has to answer before the agent of the task goes on; null: it waits for nobody. */
export function waitedItem(items: readonly ItemRow[], of: string): string | null {
  const now = Date.now();
  return items.find((item) => item.task === of && isWaitedFor(item, now))?.id ?? null;
}

function activeTask(
  { row, attempt }: TaskRecord,
  landing: LandingRow | null,
  queued: QueuePlace | null,
  waited: string | null,
  care: Care,
): ActiveTask {
  const { id, title, state, attempts, started_at } = row;
  const conflicts = (attempt?.foreseen ?? []).map(foreseenText);
  const about = { id, title, state, attempt: attempts, agent: attempt?.agent ?? null, conflicts };
  if (state === "claimed_done") {
    const doing = putOffText(row) ?? (landing === null ? queuedText(queued) : landingText(landing, care));
    return { ...about, doing, progress: null, since: landing?.begun_at ?? attempt?.ended_at ?? null };
  }
  const asking = waited === null ? null : `waits for your answer to ${waited}`;
  const working = attempt?.stop ? `stopping: ${attempt.stop.why}` : asking;
  const doing = isLeft(care) ? leftWords(care) : working;
  return { ...about, doing, progress: attempt?.progress ?? null, since: attempt?.started_at ?? started_at };
}

/** Null unless its landing waits for its time. */
function putOffText({ due_at, last_error }: TaskRow): string | null {
  return due_at === null || due_at <= Date.now() ? null : `put off: ${last_error ?? "unknown"}`;
}

/** Whoever is first says what it waits for; the others, how far away they are. */
function queuedText(queued: QueuePlace | null): string {
  if (queued === null || queued.place === 1) return "waits for its checks";
  return `${ordinal(queued.place)} in the landing queue`;
}

function landingText(landing: LandingRow, { lander }: Care): string {
  if (lander?.isAlive === false) return "its landing broke off";
  return landing.check === null ? "lands" : `checks \`${landing.check.command}\``;
}

/** Failed tasks that are named. */
const FAILED_SHOWN = 5;

/** What failed of the plan whose other facts these are; null: nothing did. */
export async function readFailed(store: Store, plan: PlanRow, facts: PlanFacts): Promise<FailedTasks | null> {
  const { failed } = facts.counts;
  if (failed === 0) return null;
  const rows = await store.tasks(plan.id, { state: "failed", offset: 0, limit: FAILED_SHOWN });
  const tasks = rows.map(({ id, last_error, reason }) => ({ id, why: firstLine(last_error ?? reason ?? "") }));
  const { open_items, releases, run } = facts;
  const outcome = open_items + releases.length > 0 ? "needs_person" : "failed";
  const left = { outcome, held: null, open_items, failed, releases } as const;
  const isLive = run !== null && run.state !== "ended";
  return { tasks, more: Math.max(0, failed - tasks.length), next: isLive ? null : nextStep(left, plan) };
}
