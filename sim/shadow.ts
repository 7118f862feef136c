/** The rows as the log of events alone tells them. */

import { contentOf, keyOf, type MemoryState } from "../src/adapters/store/memory/state.ts";
import type { Event } from "../src/core/task/events.ts";
import { evolve } from "../src/core/task/evolve.ts";
import { type Loaded, NOTHING_LOADED } from "../src/core/task/loaded.ts";
import type {
  AttemptRow,
  DefinitionRow,
  ItemRow,
  LandingRow,
  LeaseRow,
  RunRow,
  TaskRow,
} from "../src/core/task/rows.ts";

interface ShadowTask {
  task: TaskRow;
  definition: DefinitionRow;
  attempt: AttemptRow | null;
  lease: LeaseRow | null;
}

export class Shadow {
  readonly tasks = new Map<string, ShadowTask>();
  readonly runs = new Map<string, RunRow>();
  readonly landings = new Map<string, LandingRow>();
  items: ItemRow[] = [];
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  of(plan: string | null, task: string | null): ShadowTask | null {
    return plan === null || task === null ? null : (this.tasks.get(keyOf(plan, task)) ?? null);
  }

  /** A load tells what it did only in words: its rows are taken as they are. */
  resync(plan: string): void {
    const { tasks, definitions, attempts } = contentOf(this.#state, plan);
    for (const task of tasks.values()) {
      const held = attempts.get(task.id)?.at(-1);
      const definition = definitions.get(task.id)!;
      this.tasks.set(keyOf(plan, task.id), {
        task,
        definition,
        attempt: held?.attempt ?? null,
        lease: held?.lease ?? null,
      });
    }
    this.items = [...contentOf(this.#state, plan).items.values()];
  }

  apply(event: Event): void {
    const { plan, task, project } = event;
    if (plan === null) return;
    const known = this.of(plan, task);
    const target = known === null ? null : landingTargetOf(event, known.task);
    const before: Loaded = {
      ...NOTHING_LOADED,
      ...(known ?? {}),
      run: this.#liveRun(plan),
      landing: target === null ? null : (this.landings.get(keyOf(project, target)) ?? null),
      items: this.items,
    };
    const after = evolve(before, event, event.at);
    if (after.task && after.definition && task !== null) {
      const { attempt, lease } = after;
      this.tasks.set(keyOf(plan, task), { task: after.task, definition: after.definition, attempt, lease });
    }
    if (after.run) this.runs.set(plan, after.run);
    if (target !== null && after.landing) this.landings.set(keyOf(project, target), after.landing);
    else if (target !== null) this.landings.delete(keyOf(project, target));
    this.items = after.items;
  }

  #liveRun(plan: string): RunRow | null {
    const run = this.runs.get(plan);
    return run === undefined || run.state === "ended" ? null : run;
  }

  /** What differs between these rows and the store's, of one task; null: nothing. */
  difference(plan: string, id: string): string | null {
    const { tasks, definitions, attempts, items } = contentOf(this.#state, plan);
    const known = this.of(plan, id);
    const row = tasks.get(id);
    if (known === null || row === undefined) return `${id} is only in one of them`;
    const held = attempts.get(id)?.at(-1);
    const { unmet, dead } = row;
    return (
      differ("task", { ...known.task, unmet, dead }, row) ??
      differ("definition", known.definition, definitions.get(id)) ??
      differ("attempt", known.attempt, held?.attempt ?? null) ??
      differ("lease", known.lease, held?.lease ?? null) ??
      differ(
        "items",
        this.items.filter((item) => item.task === id),
        [...items.values()].filter((i) => i.task === id),
      )
    );
  }

  /** The same of a plan's run and of all landings. */
  differenceOfPlan(plan: string): string | null {
    const { runs } = contentOf(this.#state, plan);
    const run = this.runs.get(plan);
    const differs = run === undefined ? null : differ("run", run, runs.get(run.id));
    return (
      differs ??
      differ("landings", [...this.landings.values()].sort(byTarget), [...this.#state.landings.values()].sort(byTarget))
    );
  }
}

function byTarget(a: LandingRow, b: LandingRow): number {
  return a.target < b.target ? -1 : 1;
}

/** Every landing event is about its task's own target; in mode `none` each task has one of its own. */
function landingTargetOf({ type, data }: Event, task: TaskRow): string | null {
  if (type === "landing.begun") return data.landing.target;
  if (type === "landing.ended") return data.target;
  if (type !== "landing.advanced") return null;
  return task.mode === "none" ? `none/${task.plan}/${task.slug}` : task.target;
}

function differ(what: string, told: unknown, stored: unknown): string | null {
  const at = firstDifference(told, stored, "");
  return at === null ? null : `${what}${at}`;
}

function firstDifference(a: unknown, b: unknown, at: string): string | null {
  if (a === b) return null;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return `${at}: the events say ${JSON.stringify(a)}, the rows ${JSON.stringify(b)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference((a as never)[key], (b as never)[key], `${at}.${key}`);
    if (found !== null) return found;
  }
  return null;
}
