/** Frees what is proved to be landed, saved or of no more use: at any moment, beside a living engine too. */

import type { TaskState } from "../core/task/moves.ts";
import type { AttemptRow, PlanRow, TaskRow } from "../core/task/rows.ts";
import type { KeptBlob } from "../ports/blobs.ts";
import { PAGE } from "../ports/store.ts";
import { type Windows, windowOf } from "../ports/windows.ts";
import type { WorkspaceRefusal } from "../ports/workspace.ts";
import type { EngineContext } from "./context.ts";

export interface GcRequest {
  /** What attempts printed and were given is freed when they ended before so many milliseconds. */
  older_than_ms: number;
  dry_run: boolean;
  /** Where attempts are watched. */
  windows: Windows;
}

export type GcKind = "worktree" | "branch" | "attempts" | "home" | "temporary" | "session";

export interface GcReport {
  dry_run: boolean;
  /** `count`: things freed under that name. */
  freed: { kind: GcKind; name: string; count: number; bytes: number }[];
  kept: { kind: GcKind; name: string; why: string }[];
  /** All that was freed together. */
  bytes: number;
}

type GcContext = Pick<EngineContext, "store" | "clock" | "workspace" | "blobs" | "project">;

const DAY_MS = 24 * 3_600_000;

/** A plan that this store does not know may be another store's: what nobody has touched for so long is no live attempt's. */
const UNKNOWN_PLAN_MS = 7 * DAY_MS;

/** The output of a hook is removed when it has ended, within minutes. */
const HOOK_LOG_MS = DAY_MS;

/** No attempt works for so long without touching one of its temporary files. */
const TEMPORARY_MS = 7 * DAY_MS;

/** Checks' outputs and the refs of attempts always stay: `prove` looks at them. */
export async function collectGarbage(context: GcContext, request: GcRequest): Promise<GcReport | WorkspaceRefusal> {
  const { dry_run } = request;
  const tasks = new TaskFinder(context);
  const landedOn = async (plan: string, slug: string): Promise<string | null> => {
    const row = await tasks.named(plan, slug);
    return row?.state === "verified" && row.landed_sha !== null ? row.landed_target : null;
  };
  const reclaimed = await context.workspace.reclaim({ dry_run, landedOn });
  if ("code" in reclaimed) return reclaimed;
  const freed = [
    ...reclaimed.freed.map((each) => ({ ...each, count: 1 })),
    ...(await freeAttempts(context, request, tasks)),
    ...(await freeHomes(context, request, tasks)),
    ...(await freeOld(context, request, "hooks", HOOK_LOG_MS)),
    ...(await freeOld(context, request, "tmp", TEMPORARY_MS)),
    ...(await freeSessions(context, request, tasks)),
  ];
  return { dry_run, freed, kept: reclaimed.kept, bytes: freed.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** One entry for each plan. */
async function freeAttempts(
  { blobs, clock }: GcContext,
  { older_than_ms, dry_run }: GcRequest,
  tasks: TaskFinder,
): Promise<GcReport["freed"]> {
  const freed = new Map<string, GcReport["freed"][number]>();
  const before = clock.now() - older_than_ms;
  for await (const kept of blobs.list("attempts", 3)) {
    if (kept.changed_at > before) continue;
    const plan = await tasks.freeableIn(kept, before, clock.now());
    if (plan === null) continue;
    if (!dry_run) await blobs.remove(kept.name);
    const entry = freed.get(plan) ?? { kind: "attempts", name: plan, count: 0, bytes: 0 };
    freed.set(plan, { ...entry, count: entry.count + 1, bytes: entry.bytes + kept.bytes });
  }
  return [...freed.values()];
}

/** Of tasks that are over: one that goes on takes its conversations up there. */
async function freeHomes(
  { blobs, clock }: GcContext,
  { older_than_ms, dry_run }: GcRequest,
  tasks: TaskFinder,
): Promise<GcReport["freed"]> {
  const freed: GcReport["freed"] = [];
  const before = clock.now() - older_than_ms;
  for await (const { name, bytes, changed_at } of blobs.list("homes", 3)) {
    if (changed_at > before) continue;
    const task = await tasks.overIn(name, changed_at < clock.now() - UNKNOWN_PLAN_MS);
    if (task === null) continue;
    if (!dry_run) await blobs.remove(name);
    freed.push({ kind: "home", name: task, count: 1, bytes });
  }
  return freed;
}

/** What ends with an attempt or a hook, unless that was killed. */
async function freeOld(
  { blobs, clock }: GcContext,
  { dry_run }: GcRequest,
  kind: string,
  ms: number,
): Promise<GcReport["freed"]> {
  const freed: GcReport["freed"] = [];
  for await (const { name, bytes, changed_at } of blobs.list(kind, 2)) {
    if (changed_at > clock.now() - ms) continue;
    if (!dry_run) await blobs.remove(name);
    freed.push({ kind: "temporary", name, count: 1, bytes });
  }
  return freed;
}

/** Of settled attempts, of this project: each session ends with its attempt, unless tmux did not answer then. */
async function freeSessions(
  { store, project }: GcContext,
  { windows, dry_run }: GcRequest,
  tasks: TaskFinder,
): Promise<GcReport["freed"]> {
  const freed: GcReport["freed"] = [];
  const open = await windows.list();
  if (open.length === 0) return freed;
  const plans = await store.plans(project.id);
  for (const window of open) {
    const plan = plans.find(({ id }) => windowOf({ ...window, plan: id }).plan_end === window.plan_end);
    if (plan === undefined || !(await tasks.isSettled(plan, window))) continue;
    if (!dry_run) await windows.close(window);
    freed.push({ kind: "session", name: `${plan.name}/${window.slug}#${window.n}`, count: 1, bytes: 0 });
  }
  return freed;
}

const OVER: readonly TaskState[] = ["verified", "failed", "skipped", "cancelled"];

/** `attempts/<aa>/<plan>/<slug>-<n>`. */
const ATTEMPT = /^attempts\/[^/]+\/([^/]+)\/(.+)-(\d+)$/;

/** `homes/<aa>/<plan>/<slug>`. */
const HOMES = /^homes\/[^/]+\/([^/]+)\/(.+)$/;

/** Finds tasks by their slugs, which no index of the store knows: each plan's are read once. */
class TaskFinder {
  private readonly context: GcContext;
  private readonly plans = new Map<string, PlanRow | null>();
  private readonly rows = new Map<string, Map<string, TaskRow>>();
  private readonly attempts = new Map<string, AttemptRow[]>();

  constructor(context: GcContext) {
    this.context = context;
  }

  async named(name: string, slug: string): Promise<TaskRow | null> {
    const { store, project } = this.context;
    const key = `name ${name}`;
    if (!this.plans.has(key)) this.plans.set(key, await store.planNamed(project.id, name));
    const plan = this.plans.get(key) ?? null;
    return plan === null ? null : this.row(plan, slug);
  }

  /** The plan, by the name that people know, where this folder is of a settled attempt that ended `before`; else null. */
  async freeableIn({ name, changed_at }: KeptBlob, before: number, now: number): Promise<string | null> {
    const [, id, slug, n] = ATTEMPT.exec(name) ?? [];
    if (id === undefined || slug === undefined) return null;
    if (!this.plans.has(id)) this.plans.set(id, await this.context.store.plan(id));
    const plan = this.plans.get(id) ?? null;
    if (plan === null) return changed_at < now - UNKNOWN_PLAN_MS ? `${id} (no plan of this store)` : null;
    if (plan.project !== this.context.project.id) return null;
    const row = await this.row(plan, slug);
    const attempt = row && (await this.attemptsOf(row)).find((each) => each.n === Number(n));
    if (row === null || !attempt || attempt.state !== "settled") return null;
    // The last attempt of a task that goes on is what its next one, or a person, looks at.
    const isOver = OVER.includes(row.state) || attempt.n < row.attempts;
    return isOver && attempt.ended_at !== null && attempt.ended_at <= before ? plan.name : null;
  }

  /** The task, as people know it, that these homes are of, where it is over. `isOld`: they are of no live plan of any store. */
  async overIn(name: string, isOld: boolean): Promise<string | null> {
    const [, id, slug] = HOMES.exec(name) ?? [];
    if (id === undefined || slug === undefined) return null;
    if (!this.plans.has(id)) this.plans.set(id, await this.context.store.plan(id));
    const plan = this.plans.get(id) ?? null;
    if (plan === null) return isOld ? `${slug} of ${id} (no plan of this store)` : null;
    if (plan.project !== this.context.project.id) return null;
    const row = await this.row(plan, slug);
    return row !== null && OVER.includes(row.state) ? `${plan.name}/${row.id}` : null;
  }

  /** A task or an attempt that the store does not know may be about to be written. */
  async isSettled(plan: PlanRow, { slug, n }: { slug: string; n: number }): Promise<boolean> {
    const row = await this.row(plan, slug);
    const attempt = row && (await this.attemptsOf(row)).find((each) => each.n === n);
    return attempt?.state === "settled";
  }

  private async row(plan: PlanRow, slug: string): Promise<TaskRow | null> {
    const known = this.rows.get(plan.id) ?? (await this.rowsOf(plan));
    this.rows.set(plan.id, known);
    return known.get(slug) ?? null;
  }

  private async rowsOf({ id }: PlanRow): Promise<Map<string, TaskRow>> {
    const rows = new Map<string, TaskRow>();
    for (let offset = 0; ; offset += PAGE) {
      const page = await this.context.store.tasks(id, { offset, limit: PAGE });
      for (const row of page) rows.set(row.slug, row);
      if (page.length < PAGE) return rows;
    }
  }

  private async attemptsOf({ plan, id }: TaskRow): Promise<AttemptRow[]> {
    const key = `${plan} ${id}`;
    const known = this.attempts.get(key) ?? (await this.context.store.attempts(plan, id));
    this.attempts.set(key, known);
    return known;
  }
}
