import { askedTogether } from "../../../core/task/asked-together.ts";
import type { ItemRow, TaskRow } from "../../../core/task/rows.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { GraphTask, Store } from "../../../ports/store.ts";
import { PAGE } from "../../../ports/store.ts";
import { HOUR_MS, recordOf } from "../load-rows.ts";
import { byCodePoint, inOrder } from "../order.ts";
import type { Tables } from "../tables.ts";
import { spendingOf } from "./spending.ts";
import type { MemoryState } from "./state.ts";
import { contentOf } from "./state.ts";

type Reads = Omit<
  Store,
  | "submit"
  | "submitAll"
  | "load"
  | "cachedConfig"
  | "cacheConfig"
  | "setEngine"
  | "engines"
  | "watch"
  | "verify"
  | "unreadable"
  | "close"
>;

export function memoryReads(state: MemoryState, tables: Tables, clock: Clock): Reads {
  return { ...planReads(state, tables), ...taskReads(state, tables, clock), ...engineReads(state, tables, clock) };
}

function planReads(
  state: MemoryState,
  tables: Tables,
): Pick<Reads, "plans" | "plan" | "planNamed" | "summary" | "lastRun" | "liveRuns" | "graph" | "events" | "openItems"> {
  const openItems = (plan: string) => [...contentOf(state, plan).items.values()].filter((i) => i.state === "open");
  return {
    plans: async (project) =>
      copies(
        [...state.plans.values()].filter((p) => p.project === project).sort((a, b) => byCodePoint(a.name, b.name)),
      ),
    plan: async (id) => structuredClone(tables.plan(id)),
    planNamed: async (project, name) => structuredClone(tables.planNamed(project, name)),
    summary: async (id) => {
      const plan = tables.plan(id);
      if (!plan) return null;
      return structuredClone({
        plan,
        tallies: tables.tallies(id),
        run: tables.liveRun(id),
        open_items: askedTogether(openItems(id)).length,
      });
    },
    lastRun: async (plan) => {
      const runs = [...contentOf(state, plan).runs.values()];
      return structuredClone(
        runs.find(({ state }) => state !== "ended") ??
          runs.sort((a, b) => a.started_at - b.started_at || byCodePoint(a.id, b.id)).at(-1) ??
          null,
      );
    },
    liveRuns: async () =>
      structuredClone(
        [...state.plans.keys()]
          .flatMap((plan) => tables.liveRun(plan) ?? [])
          .sort((a, b) => a.started_at - b.started_at || byCodePoint(a.id, b.id)),
      ),
    graph: (plan) => graph(state, plan),
    openItems: async (project, plan, limit) => {
      const ids = plan === null ? [...state.plans.keys()] : [plan];
      const all: ItemRow[] = ids.flatMap(openItems).filter((item) => item.project === project);
      return copies(all.sort((a, b) => a.opened_at - b.opened_at).slice(0, Math.min(limit, PAGE)));
    },
    events: async ({ after, limit, project, plan, task }) =>
      copies(
        state.events
          .filter((e) => e.seq > after && (project ?? e.project) === e.project)
          .filter((e) => (plan ?? e.plan) === e.plan && (task ?? e.task) === e.task)
          .slice(0, Math.min(limit, PAGE)),
      ),
  };
}

async function* graph(state: MemoryState, plan: string): AsyncGenerator<GraphTask> {
  const { tasks, edges } = contentOf(state, plan);
  for (const { id, title, state: now, retired } of [...tasks.values()].sort(inOrder)) {
    if (retired) continue;
    const known = (edges.get(id) ?? []).flatMap((edge) => tasks.get(edge) ?? []);
    yield { id, title, state: now, depends_on: known.sort(byNaturalKey).map((task) => task.id) };
  }
}

type TaskReads =
  | "task"
  | "taskIds"
  | "tasks"
  | "dependencies"
  | "attempts"
  | "checks"
  | "guardOutcome"
  | "isFlaky"
  | "spending"
  | "active"
  | "unlanded"
  | "landingQueue";

function taskReads(state: MemoryState, tables: Tables, clock: Clock): Pick<Reads, TaskReads> {
  const all = (plan: string) => [...contentOf(state, plan).tasks.values()];
  const record = (plan: string, id: string) => structuredClone(recordOf(tables, plan, id));
  const records = (plan: string, found: TaskRow[], limit: number) =>
    found.slice(0, Math.min(limit, PAGE)).flatMap(({ id }) => record(plan, id) ?? []);
  const endOf = ({ plan, id, attempts }: TaskRow) => tables.attempt(plan, id, attempts)?.attempt.ended_at ?? 0;
  const inQueue = (a: TaskRow, b: TaskRow) => a.priority - b.priority || endOf(a) - endOf(b) || byNaturalKey(a, b);
  return {
    task: async (plan, id) => record(plan, id),
    taskIds: async (plan, prefix, limit) =>
      all(plan)
        .filter(({ id }) => id.startsWith(prefix))
        .sort(byNaturalKey)
        .slice(0, Math.min(limit, PAGE))
        .map(({ id }) => id),
    tasks: async (plan, query) =>
      copies(
        all(plan)
          .filter((task) => query.state === undefined || task.state === query.state)
          .sort(inOrder)
          .slice(query.offset, query.offset + Math.min(query.limit, PAGE)),
      ),
    dependencies: async (plan, task) =>
      tables
        .edges(plan, task)
        .flatMap((id) => tables.task(plan, id) ?? [])
        .sort(byNaturalKey)
        .map(({ id, state: now, satisfied }) => ({ id, state: now, satisfied })),
    attempts: async (plan, task) =>
      copies((contentOf(state, plan).attempts.get(task) ?? []).slice(-PAGE).map((held) => held.attempt)),
    checks: async (plan, task) => copies((contentOf(state, plan).checks.get(task) ?? []).slice(-PAGE)),
    spending: async (plan, by) =>
      spendingOf(
        [...contentOf(state, plan).attempts.values()].flat().map(({ attempt }) => attempt),
        by,
      ),
    guardOutcome: async (plan, tree, command) => {
      const guards = [...contentOf(state, plan).checks.values()].flat().filter((c) => c.kind === "guard");
      return guards.filter((c) => c.tree === tree && c.command === command).at(-1)?.outcome ?? null;
    },
    isFlaky: async (plan, command) => {
      const ofIt = [...contentOf(state, plan).checks.values()]
        .flat()
        .filter((c) => c.kind === "guard" && c.command === command && c.tree !== null);
      const green = new Set(ofIt.filter((c) => c.outcome === "green").map((c) => c.tree));
      return ofIt.some((c) => c.outcome !== "green" && c.outcome !== "error" && green.has(c.tree));
    },
    active: async (plan, limit) => {
      const live = all(plan).filter((t) => t.state === "in_progress" || t.state === "claimed_done");
      return records(
        plan,
        live.sort((a, b) => (a.started_at ?? 0) - (b.started_at ?? 0) || byNaturalKey(a, b)),
        limit,
      );
    },
    unlanded: async (plan, limit) => {
      const now = clock.now();
      return records(
        plan,
        all(plan)
          .filter((task) => isWaiting(task, now))
          .sort(inQueue),
        limit,
      );
    },
    landingQueue: async (project, target, limit) => {
      const now = clock.now();
      return [...state.plans.values()]
        .filter((plan) => plan.project === project)
        .flatMap((plan) => all(plan.id))
        .filter((task) => task.target === target && isWaiting(task, now))
        .sort((a, b) => inQueue(a, b) || byCodePoint(a.plan, b.plan))
        .slice(0, Math.min(limit, PAGE))
        .map(({ plan, id }) => ({ plan, plan_name: state.plans.get(plan)!.name, id }));
    },
  };
}

function isWaiting({ state, due_at }: TaskRow, now: number): boolean {
  return state === "claimed_done" && (due_at ?? now) <= now;
}

function engineReads(
  state: MemoryState,
  tables: Tables,
  clock: Clock,
): Pick<Reads, "ready" | "gateRows" | "runOut" | "landing" | "landings" | "cascading" | "nextDue" | "holds"> {
  const definition = (plan: string, id: string) => contentOf(state, plan).definitions.get(id)!.body;
  const workersOf = (plan: string) =>
    [...contentOf(state, plan).attempts.values()]
      .flat()
      .flatMap(({ attempt, lease }) => (lease && attempt.kind === "external" ? [{ attempt, lease }] : []));
  return {
    ready: async (plan, limit) => {
      const now = clock.now();
      const { tasks } = contentOf(state, plan);
      const waiting = [...tasks.values()].filter(
        (t) => t.state === "pending" && t.unmet === 0 && (t.due_at ?? now) <= now,
      );
      const runOut = workersOf(plan)
        .filter(({ lease }) => lease.expires_at <= now)
        .flatMap(({ attempt }) => tasks.get(attempt.task) ?? []);
      const rows = [...waiting, ...runOut].sort(inOrder).slice(0, limit);
      return copies(rows.map((row) => ({ row, definition: definition(plan, row.id) })));
    },
    gateRows: async (project, plan) =>
      structuredClone({
        run: tables.liveRun(plan),
        holds: tables.holds(project),
        underway: tables.underway(project),
        started_last_hour: tables.startedSince(project, clock.now() - HOUR_MS),
      }),
    landings: async (project) => structuredClone([...state.landings.values()].filter((of) => of.project === project)),
    landing: async (project, target) => structuredClone(tables.landing(project, target)),
    runOut: async (plan, limit) =>
      workersOf(plan)
        .filter(({ lease }) => lease.expires_at <= clock.now())
        .sort((a, b) => a.lease.expires_at - b.lease.expires_at || byCodePoint(a.attempt.task, b.attempt.task))
        .slice(0, limit)
        .map(({ attempt, lease }) => ({ task: attempt.task, token: lease.token })),
    cascading: async (plan, limit) =>
      [...contentOf(state, plan).tasks.values()]
        .filter((t) => t.state === "pending" && t.dead > 0 && definition(plan, t.id).on_dependency_failed === "cascade")
        .sort(byNaturalKey)
        .slice(0, limit)
        .map(({ id }) => id),
    holds: async (project) => structuredClone(tables.holds(project)),
    nextDue: async (plan) => {
      const { tasks, items } = contentOf(state, plan);
      const times = [
        ...[...tasks.values()].filter((t) => t.state === "pending" && t.unmet === 0).map((t) => t.due_at),
        ...[...tasks.values()].filter((t) => t.state === "claimed_done").map((t) => t.due_at),
        ...workersOf(plan).map(({ lease }) => lease.expires_at),
        ...[...items.values()].filter((i) => i.state === "open" && i.default_option !== null).map((i) => i.deadline_at),
      ];
      const now = clock.now();
      const future = times.filter((at) => at !== null && at > now) as number[];
      return future.length === 0 ? null : Math.min(...future);
    },
  };
}

function byNaturalKey(a: TaskRow, b: TaskRow): number {
  return byCodePoint(a.natural_key, b.natural_key) || byCodePoint(a.id, b.id);
}

function copies<T>(rows: T[]): T[] {
  return structuredClone(rows);
}
