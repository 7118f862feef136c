/** Random histories: both adapters answer alike, every counter stays exact, and the log alone gives the same rows. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { RowCommand } from "../../../src/core/task/commands.ts";
import type { Event } from "../../../src/core/task/events.ts";
import { evolve } from "../../../src/core/task/evolve.ts";
import type { Loaded } from "../../../src/core/task/loaded.ts";
import { NOTHING_LOADED } from "../../../src/core/task/loaded.ts";
import type { Store, TaskRecord } from "../../../src/ports/store.ts";
import * as commands from "../../fixtures/commands.ts";
import { NOW } from "../../fixtures/loaded.ts";
import type { OpenStore } from "./open-stores.ts";
import { STORES } from "./open-stores.ts";
import { compiled, loads, PLAN_ID, PROJECT, TARGET, type Task } from "./scenario.ts";

const IDS = ["F-1", "F-2", "F-3", "F-4", "F-5"];
const HISTORIES = 150;
const STEPS_MAX = 60;

interface Step {
  verb: number;
  task: number;
  flag: boolean;
  other: number;
}

const step: fc.Arbitrary<Step> = fc.noBias(
  fc.record({ verb: fc.nat(99), task: fc.nat(IDS.length - 1), flag: fc.boolean(), other: fc.nat(99) }),
);

/** The verbs from here on load a plan; those below the other one take a task on as its life goes. */
const LOADS_FROM = 97;
const ADVANCES_BELOW = 50;

interface Known {
  landing: number;
  run: string;
}

const LIMIT = { key: "account:claude", until: NOW + 500, known_from: "signal" } as const;

/** Plausible more often than not: tokens are the ones that hold. */
function commandOf({ verb, flag, other }: Step, { row, lease }: TaskRecord, { landing, run }: Known): RowCommand {
  const task = row.id;
  const token = lease?.token ?? other;
  const choices: (() => RowCommand)[] = [
    () => commands.claim({ task, expires_at: NOW + other * 100 }),
    () => commands.claim({ task, kind: "run", run, agent: "coder", expires_at: NOW + 1e9 }),
    () => commands.done({ task, token }),
    () => commands.done({ task, token }),
    () => commands.fail({ task, token, unlanded: flag }),
    () => commands.renew({ task, token, expires_at: NOW + 1e6 }),
    () => commands.settle({ task, token, outcome: flag ? "succeeded" : "blocked", cost_usd: flag ? 0.5 : null }),
    () =>
      commands.settle({ task, token, outcome: flag ? "rate_limited" : "lost", limit: LIMIT, draws_on: [LIMIT.key] }),
    () => commands.begin({ task, attempt: row.attempts, over: flag ? landing : null }),
    () => commands.land({ task, token: landing }),
    () => commands.land({ task, token: landing }),
    () =>
      commands.record({
        task,
        token: landing,
        result: flag ? commands.GREEN : commands.RED,
        blame: other > 50 ? "task" : "base",
      }),
    () => commands.retry({ task, fresh: flag }),
    () => commands.skip({ task, satisfies: flag }),
    () => ({ ...commands.cancel(), task }),
    () => ({ ...commands.override(), task }),
    () => ({ ...commands.cascade(), task }),
    () => commands.stop({ task, then: flag ? "pending" : "cancelled" }),
    () => ({ ...commands.answer(flag ? "retry" : "fail"), item: `i${(other % 4) + 1}` }),
    () => ({ ...commands.expire(), item: `i${(other % 4) + 1}` }),
    () => ({ ...commands.leaseExpire(), task, token }),
    () => commands.give(flag ? "approved" : "rejected", { task }),
    () => ({ type: "task.edit", plan: PLAN_ID, task, patch: { priority: (other % 3) + 1, title: `Title ${other}` } }),
    () => ({ type: "run.start", plan: PLAN_ID, id: run, jobs: 2, tasks_max: null, budget_usd: null }),
    () => (flag ? { type: "run.pause", plan: PLAN_ID } : { type: "run.resume", plan: PLAN_ID, tasks_max: null }),
    () => ({ type: "run.end", plan: PLAN_ID, id: run, outcome: "done" }),
    () => ({ type: "hold.set", project: PROJECT, key: "agent:anna", until: NOW + other * 50, why: "limit" }),
    () => ({ type: flag ? "hold.clear" : "hold.expire", project: PROJECT, key: flag ? "agent:anna" : LIMIT.key }),
    () => ({ type: "task.add", plan: PLAN_ID, added: compiled(`G-${row.version} < ${task}`), origin: "operator" }),
  ];
  return choices[verb % choices.length]!();
}

/** The next step of an ordinary life. */
function advance({ flag, other }: Step, { row, lease }: TaskRecord, { landing, run }: Known): RowCommand {
  const { id: task, state } = row;
  if (state === "in_progress") return commands.done({ task, token: lease!.token });
  if (state === "claimed_done" && flag)
    return commands.begin({ task, attempt: row.attempts, over: other > 50 ? landing : null });
  if (state === "claimed_done") return commands.land({ task, token: landing });
  return commands.claim({ task, expires_at: NOW + 1e9, ...(flag ? {} : { kind: "run", run }) });
}

/** Some tasks, each with some of the earlier ones before it. */
function planFrom(seed: number): Task[] {
  const kept = IDS.filter((_, i) => (seed >> i) % 4 !== 0);
  return kept.map((id, i) => ({
    id,
    after: kept.slice(0, i).filter((_, j) => (seed * (j + 3)) % 3 === 0),
    tries: 1 + (seed % 2),
    lane: seed % 5 === 0 ? "reviewed" : "build",
    on_dependency_failed: seed % 3 === 0 ? "cascade" : "wait",
    files_owned: seed % 7 === 0 ? [`src/${id}/**`] : [],
  }));
}

/** What every adapter must answer to one step. */
async function take({ store, clock }: OpenStore, taken: Step, index: number): Promise<unknown> {
  clock.time += taken.other * 20;
  if (taken.verb >= LOADS_FROM) return loads(store, `h${index}`, planFrom(taken.other * 31 + taken.task));
  const id = IDS[taken.task]!;
  const record = await store.task(PLAN_ID, id);
  const known = {
    landing: (await store.landing(PROJECT, TARGET))?.token ?? taken.other,
    run: (await store.summary(PLAN_ID))!.run?.id ?? `run-${index}`,
  };
  if (!record) return store.submit(commands.claim({ task: id }), { actor: "test" });
  const envelope = { actor: "test", ...(taken.verb % 5 === 0 ? { command_id: `c-${index % 25}` } : {}) };
  const choose = taken.verb < ADVANCES_BELOW ? advance : commandOf;
  const command = choose(taken, record, known);
  if (command.type === "task.done" && taken.flag)
    return store.submitAll([command, commands.begin({ task: id, attempt: record.row.attempts })], { actor: "test" });
  return store.submit(command, envelope);
}

async function stateOf(store: Store): Promise<unknown> {
  const tasks = await store.tasks(PLAN_ID, { offset: 0, limit: 200 });
  const ids = tasks.map((row) => row.id);
  return {
    tasks,
    summary: await store.summary(PLAN_ID),
    attempts: await Promise.all(ids.map((id) => store.attempts(PLAN_ID, id))),
    checks: await Promise.all(ids.map((id) => store.checks(PLAN_ID, id))),
    dependencies: await Promise.all(ids.map((id) => store.dependencies(PLAN_ID, id))),
    ready: await store.ready(PLAN_ID, 50),
    gates: await sorted(store),
    active: await store.active(PLAN_ID, 50),
    unlanded: await store.unlanded(PLAN_ID, 50),
    queue: await store.landingQueue(PROJECT, TARGET, 50),
    cascading: await store.cascading(PLAN_ID, 50),
    due: await store.nextDue(PLAN_ID),
    holds: await store.holds(PROJECT),
    items: await store.openItems(PROJECT, null, 50),
    landing: await store.landing(PROJECT, TARGET),
  };
}

async function sorted(store: Store): Promise<unknown> {
  const gates = await store.gateRows(PROJECT, PLAN_ID);
  return { ...gates, underway: gates.underway.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

test("sqlite and memory agree on every answer, event and row, and every counter stays exact", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: STEPS_MAX, size: "max" }),
      fc.nat(1_000),
      async (steps, seed) => {
        const [sqlite, memory] = (await Promise.all(STORES.map(({ open }) => open()))) as [OpenStore, OpenStore];
        expect(await loads(sqlite.store, "0", planFrom(seed))).toEqual(await loads(memory.store, "0", planFrom(seed)));
        for (const [index, taken] of steps.entries()) {
          const answer = await take(sqlite, taken, index);
          expect(answer).toEqual(await take(memory, taken, index));
        }
        expect(await stateOf(sqlite.store)).toEqual(await stateOf(memory.store));
        expect(await everything(sqlite.store)).toEqual(await everything(memory.store));
        expect(await sqlite.store.verify()).toEqual([]);
        expect(await memory.store.verify()).toEqual([]);
        await sqlite.store.close();
      },
    ),
    { numRuns: HISTORIES },
  );
}, 120_000);

async function everything(store: Store): Promise<Event[]> {
  const all: Event[] = [];
  for (let page = await store.events({ after: 0, limit: 200 }); page.length > 0; ) {
    all.push(...page);
    page = await store.events({ after: page.at(-1)!.seq, limit: 200 });
  }
  return all;
}

/** Folds the log over the rows as they stood after `from`; what a plan's load changes stands only in its rows. */
function replay(events: Event[], before: Loaded): Map<string, Loaded> {
  const rows = new Map<string, Loaded>();
  for (const event of events) {
    if (event.task === null) continue;
    const known = rows.get(event.task) ?? before;
    rows.set(event.task, evolve(known, event, event.at));
  }
  return rows;
}

test.each(STORES)(
  "the log of $name replayed gives the rows of every task that a command added",
  async ({ open }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: STEPS_MAX, size: "max" }), async (steps) => {
        const opened = await open();
        const { store } = opened;
        await loads(store, "0", []);
        for (const id of IDS.filter((_, i) => i < 3))
          await store.submit(
            { type: "task.add", plan: PLAN_ID, added: compiled({ id, tries: 2 }), origin: "operator" },
            { actor: "test" },
          );
        for (const [index, taken] of steps.entries())
          await take(opened, { ...taken, verb: taken.verb % LOADS_FROM, task: taken.task % 3 }, index);
        const replayed = replay(await everything(store), { ...NOTHING_LOADED });
        expect(replayed.size).toBeGreaterThanOrEqual(3);
        for (const [id, after] of replayed) await compare(store, id, after);
        await store.close();
      }),
      { numRuns: HISTORIES / 2 },
    );
  },
  120_000,
);

/** A task's counters of dependencies move with other tasks, so they are left to `verify`. */
async function compare(store: Store, id: string, { task, definition, attempt, lease }: Loaded): Promise<void> {
  const record = (await store.task(PLAN_ID, id))!;
  const { unmet, dead } = record.row;
  expect({ ...task, unmet, dead }).toEqual(record.row);
  expect(definition?.body).toEqual(record.definition);
  expect(attempt).toEqual(record.attempt);
  expect(lease).toEqual(record.lease);
}
