/** The bulk command `plan.load`, inside the transaction that an adapter has begun. */

import { invariant } from "../../core/assert.ts";
import type { CompiledTask, PlanProblem } from "../../core/plan/definition.ts";
import { policyChanges } from "../../core/plan/policy-changes.ts";
import type { Envelope, PlanLoad } from "../../core/task/commands.ts";
import { Draft } from "../../core/task/draft.ts";
import type { Fact } from "../../core/task/events.ts";
import { loadKnown, retire } from "../../core/task/load.ts";
import type { Loaded } from "../../core/task/loaded.ts";
import { NOTHING_LOADED } from "../../core/task/loaded.ts";
import { newTask } from "../../core/task/new-task.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import type { LoadAnswer, LoadCounts } from "../../ports/store.ts";
import { taskRows } from "./load-rows.ts";
import type { NewTask, Stamp, Tables } from "./tables.ts";
import { writeRows } from "./write-changes.ts";

/** `changed`: there is something to commit. After problems there is not: the transaction must be rolled back. */
export function loadIn(
  tables: Tables,
  command: PlanLoad,
  { command_id, actor }: Envelope,
  now: number,
): { answer: LoadAnswer; changed: boolean } {
  const first = command_id === undefined ? null : firstCounts(tables, command_id);
  if (first) return { answer: { ok: true, counts: first }, changed: false };
  const known = tables.planNamed(command.project, command.plan.name);
  if (known?.source_hash === command.plan.source_hash)
    return { answer: { ok: true, counts: countsOf(tables, known, NOTHING_LOADED_YET) }, changed: false };
  const loading = new Loading(tables, command, known, { at: now, project: command.project, actor });
  const answer = loading.run();
  if (answer.ok && command_id !== undefined) tables.putAnswer(command_id, { kind: "load", counts: answer.counts });
  return { answer, changed: answer.ok };
}

function firstCounts(tables: Tables, command: string): LoadCounts | null {
  const stored = tables.answer(command);
  if (!stored) return null;
  invariant(stored.kind === "load", `command ${command} was no load of a plan`);
  return stored.counts;
}

type Tallied = Pick<LoadCounts, "inserted" | "updated" | "retired" | "restored">;

const NOTHING_LOADED_YET: Tallied = { inserted: 0, updated: 0, retired: 0, restored: 0 };

function countsOf(tables: Tables, { name, id, revision }: PlanRow, tallied: Tallied): LoadCounts {
  const { retired, retired_done: _done, satisfied_skips: _skips, ...states } = tables.tallies(id);
  const total = Object.values(states).reduce((sum, n) => sum + n, 0) - retired;
  return { plan: name, id, revision, ...tallied, total };
}

/** One load under way. */
class Loading {
  private readonly tables: Tables;
  private readonly command: PlanLoad;
  private readonly stamp: Stamp;
  /** Null for the first revision: nothing has to be looked up then. */
  private readonly known: PlanRow | null;
  private plan: PlanRow;
  private readonly problems: PlanProblem[] = [];
  private readonly added: CompiledTask[] = [];
  private readonly rewired: { task: string; edges: string[] }[] = [];
  private readonly tallied: Tallied = { ...NOTHING_LOADED_YET };
  /** Told at once at the end: each by itself would move the plan's last event. */
  private readonly facts: Fact[] = [];
  /** A row of a task was written: the revision has something to say. */
  private hasChanged = false;
  /** Something depends on other tasks than it did, so what it counts of them has to be counted anew. */
  private hasNewEdges = false;

  constructor(tables: Tables, command: PlanLoad, known: PlanRow | null, stamp: Stamp) {
    this.tables = tables;
    this.command = command;
    this.stamp = stamp;
    this.known = known;
    this.plan = this.begin(known);
  }

  run(): LoadAnswer {
    const { tables, command, plan } = this;
    if (this.known) this.retireGone();
    for (const task of command.plan.tasks) this.take(task);
    if (this.problems.length > 0) return { ok: false, problems: this.problems };
    const policyChanged = this.known === null ? [] : policyChanges(this.known.policy, command.plan.policy);
    if (this.known && !this.hasChanged && this.added.length === 0 && policyChanged.length === 0)
      return { ok: true, counts: this.sameAs(this.known) };
    tables.insertTasks(this.newTasks());
    // Only now does everything stand that a task may depend on.
    for (const { task, edges } of this.rewired) tables.rewire(plan.id, task, edges);
    tables.addTallies(plan.id, { pending: this.tallied.inserted });
    if (this.hasNewEdges) tables.recount(plan.id, plan.revision);
    tables.append(this.facts, this.stamp);
    tables.appendAdded(plan.id, plan.revision, this.stamp);
    const policy_changed = policyChanged.length === 0 ? {} : { policy_changed: policyChanged };
    const counts = { ...countsOf(tables, plan, this.tallied), ...policy_changed };
    const { plan: name, revision, inserted, updated, retired, restored, total } = counts;
    const data = { name, revision, inserted, updated, retired, restored, total, ...policy_changed };
    tables.append([{ type: "plan.loaded", plan: plan.id, task: null, attempt: null, data }], this.stamp);
    return { ok: true, counts };
  }

  /** Other words for the same plan are no revision of it; only the next load need not look at them again. */
  private sameAs(known: PlanRow): LoadCounts {
    const { source_hash } = this.command.plan;
    const row = { ...known, source_hash, version: this.plan.version + 1 };
    this.tables.updatePlan(this.plan, row);
    return countsOf(this.tables, row, this.tallied);
  }

  /** The plan's row as this revision leaves it. */
  private begin(known: PlanRow | null): PlanRow {
    const { project, id, plan } = this.command;
    const { name, source_hash, policy } = plan;
    if (!known) {
      const row = { project, id, name, revision: 1, source_hash, policy, items: 0, version: 0 };
      this.tables.insertPlan(row);
      return row;
    }
    const row = { ...known, revision: known.revision + 1, source_hash, policy, version: known.version + 1 };
    this.tables.updatePlan(known, row);
    return row;
  }

  /** Before anything else, so that what the file still has is counted against what is left. */
  private retireGone(): void {
    const here = new Set(this.command.plan.tasks.map((task) => task.id));
    for (const id of this.tables.tasksOfFile(this.plan.id)) {
      if (here.has(id)) continue;
      this.change(this.rowsOf(id), (draft) => retire(draft, this.plan.revision));
      this.tallied.retired += 1;
    }
  }

  private take(task: CompiledTask): void {
    const known = this.known ? this.standing(task.id) : NOTHING_LOADED;
    if (known.task) this.takeKnown(known, task);
    else if (this.isFree(task)) {
      this.added.push(task);
      this.tallied.inserted += 1;
      this.hasNewEdges ||= this.known !== null;
    }
  }

  /** One by one: the rows of a large plan would not fit into memory beside its definitions. */
  private *newTasks(): Generator<NewTask> {
    const { plan } = this;
    for (const task of this.added) {
      const { depends_on: edges, definition } = task;
      const row = newTask(plan, task, "file", plan.revision, { unmet: edges.length, dead: 0 });
      yield { row, definition: { body: definition, next: null }, edges };
    }
  }

  /** A slug is fixed when its task is inserted, so a later task may want one that is taken. */
  private isFree({ id, slug }: CompiledTask): boolean {
    const owner = this.known ? this.tables.slugOwner(this.plan.id, slug) : null;
    if (owner === null) return true;
    const message = `task ${id} would be filed under ${slug}, which stands for task ${owner}: give it another id`;
    this.problems.push({ path: `task ${id}`, message });
    return false;
  }

  private takeKnown(known: Loaded, task: CompiledTask): void {
    const { plan, tables } = this;
    const edges = tables.edges(plan.id, task.id);
    const loaded = this.change(known, (draft) => loadKnown(draft, task, edges, plan.revision));
    if (loaded.problem) this.problems.push(loaded.problem);
    if (loaded.edges) this.rewired.push({ task: task.id, edges: loaded.edges });
    this.hasNewEdges ||= loaded.edges !== null;
    if (loaded.change !== "same") this.tallied[loaded.change] += 1;
  }

  /** Lets the core change one task and writes what came of it. */
  private change<T>(before: Loaded, by: (draft: Draft) => T): T {
    const draft = new Draft(before, this.stamp.at);
    const result = by(draft);
    if (draft.rows !== before) {
      this.hasChanged = true;
      writeRows(this.tables, before, draft.rows, draft.facts, this.stamp.at);
    }
    this.facts.push(...draft.facts);
    if (draft.rows.plan) this.plan = draft.rows.plan;
    return result;
  }

  /** A task that stands is redefined alone: neither its attempt nor what is open about it is looked at. */
  private standing(id: string): Loaded {
    const { tables, plan } = this;
    const task = tables.task(plan.id, id);
    if (task?.retired) return this.rowsOf(id);
    return { ...NOTHING_LOADED, plan, task, definition: task && tables.definition(plan.id, id) };
  }

  private rowsOf(id: string): Loaded {
    const { tables, plan } = this;
    const rows = taskRows(tables, plan.id, id);
    return { ...NOTHING_LOADED, ...rows, plan, items: tables.openItemsOf(plan.id, id) };
  }
}
