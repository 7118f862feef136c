import { describe, expect, test } from "vitest";
import type { GraphTask, Store } from "../../../src/ports/store.ts";
import { PAGE } from "../../../src/ports/store.ts";
import * as commands from "../../fixtures/commands.ts";
import { NOW } from "../../fixtures/loaded.ts";
import { STORES } from "./open-stores.ts";
import { claims, does, loaded, PLAN_ID, PROJECT, readyIds, refused, type Task, verifies } from "./scenario.ts";

const MANY = Array.from({ length: PAGE + 5 }, (_, i) => `F-${i + 1}`);

describe.each(STORES)("asking $name", ({ open }) => {
  test("ready tasks stand by priority, wave, longest path and natural id", async () => {
    const { store } = await open();
    const tasks: Task[] = [
      { id: "F-10" },
      { id: "F-2" },
      { id: "G-1", path: 1 },
      { id: "G-2", path: 2 },
      { id: "H-1", wave: 2, path: 9 },
      { id: "I-1", priority: 1, wave: 9 },
      { id: "\u{1f600}" },
      { id: "\u{fb00}" },
    ];
    await loaded(store, "1", tasks);
    const order = ["I-1", "G-2", "G-1", "F-2", "F-10", "\u{fb00}", "\u{1f600}", "H-1"];
    expect(await readyIds(store)).toEqual(order);
    expect((await store.tasks(PLAN_ID, { offset: 0, limit: 50 })).map((row) => row.id)).toEqual(order);
    expect(await readyIds(store, 2)).toEqual(order.slice(0, 2));
  });

  test("a task whose time has not come is not ready, and one whose time has come stands in its place", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", [{ id: "F-1", priority: 1 }, "F-2", { id: "F-3", priority: 2 }]);
    await does(store, commands.fail({ task: "F-1", token: await claims(store, "F-1") }));
    await does(store, commands.fail({ task: "F-3", token: await claims(store, "F-3") }));
    expect(await readyIds(store)).toEqual(["F-2"]);
    expect(await readyIds(store, 1)).toEqual(["F-2"]);
    clock.time += 10_000;
    expect(await readyIds(store)).toEqual(["F-1", "F-3", "F-2"]);
    expect(await readyIds(store, 1)).toEqual(["F-1"]);
  });

  test("a task whose external lease has run out is ready, in its place", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1", "F-2", "F-3"]);
    await claims(store, "F-2", { expires_at: NOW + 10 });
    await does(store, { type: "run.start", plan: PLAN_ID, id: "run", jobs: 1, tasks_max: null, budget_usd: null });
    await claims(store, "F-3", { kind: "run", run: "run", expires_at: NOW + 10 });
    expect(await readyIds(store)).toEqual(["F-1"]);
    clock.time += 10;
    expect(await readyIds(store)).toEqual(["F-1", "F-2"]);
  });

  test("a ready task comes with its definition", async () => {
    const { store } = await open();
    await loaded(store, "1", [{ id: "F-1", prompt: "Make the totals right." }]);
    const [ready] = await store.ready(PLAN_ID, 1);
    expect(ready).toEqual({
      row: (await store.task(PLAN_ID, "F-1"))!.row,
      definition: expect.objectContaining({ prompt: "Make the totals right." }),
    });
  });

  test("what is not there is null or nothing", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    expect(await store.task(PLAN_ID, "F-9")).toBeNull();
    expect(await store.summary("nothing")).toBeNull();
    expect(await store.lastRun(PLAN_ID)).toBeNull();
    expect(await store.lastRun("nothing")).toBeNull();
    expect(await store.landing(PROJECT, "nothing")).toBeNull();
    expect(await store.ready("nothing", 5)).toEqual([]);
    expect(await store.tasks("nothing", { offset: 0, limit: 5 })).toEqual([]);
    expect(await store.attempts(PLAN_ID, "F-1")).toEqual([]);
    expect(await store.checks(PLAN_ID, "F-1")).toEqual([]);
    expect(await store.dependencies(PLAN_ID, "F-1")).toEqual([]);
    expect(await store.engines(PROJECT)).toEqual([]);
    expect(await store.nextDue(PLAN_ID)).toBeNull();
    expect(await graphOf(store, "nothing")).toEqual([]);
  });

  test("the last run is told while it is live and when it has ended", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1"]);
    const start = { type: "run.start", plan: PLAN_ID, jobs: 1, tasks_max: null, budget_usd: null } as const;
    await does(store, { ...start, id: "z" });
    expect(await store.lastRun(PLAN_ID)).toMatchObject({ id: "z", state: "running", outcome: null });
    await does(store, { type: "run.end", plan: PLAN_ID, id: "z", outcome: "parked" });
    expect(await store.lastRun(PLAN_ID)).toMatchObject({ id: "z", state: "ended", outcome: "parked" });
    clock.time += 1;
    await does(store, { ...start, id: "a" });
    expect(await store.lastRun(PLAN_ID)).toMatchObject({ id: "a", state: "running" });
  });

  test("lists come in pages", async () => {
    const { store } = await open();
    await loaded(store, "1", MANY);
    const first = await store.tasks(PLAN_ID, { offset: 0, limit: 1_000 });
    const second = await store.tasks(PLAN_ID, { offset: PAGE, limit: 1_000 });
    expect([...first, ...second].map((row) => row.id)).toEqual(MANY);
    expect(await store.taskIds(PLAN_ID, "", 1_000)).toEqual(MANY.slice(0, PAGE));
    const events = await store.events({ after: 0, limit: 1_000 });
    expect(events).toHaveLength(PAGE);
    expect(await store.events({ after: events.at(-1)!.seq, limit: 1_000 })).toHaveLength(6);
  });

  test("tasks are listed by state", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2", "F-3"]);
    await claims(store, "F-2");
    const ids = async (state: "pending" | "in_progress") =>
      (await store.tasks(PLAN_ID, { state, offset: 0, limit: 10 })).map((row) => row.id);
    expect(await ids("pending")).toEqual(["F-1", "F-3"]);
    expect(await ids("in_progress")).toEqual(["F-2"]);
    expect((await store.tasks(PLAN_ID, { state: "pending", offset: 1, limit: 10 })).map((row) => row.id)).toEqual([
      "F-3",
    ]);
  });

  test("ids are found by how they begin, whatever characters they have", async () => {
    const { store } = await open();
    await loaded(store, "1", [
      "F-1",
      "F-10",
      "F-2",
      { id: "f-1", slug: "f-1-x" },
      "F_1",
      "F%",
      "\u{1f600}a",
      "\u{1f600}b",
    ]);
    expect(await store.taskIds(PLAN_ID, "F-", 10)).toEqual(["F-1", "F-2", "F-10"]);
    expect(await store.taskIds(PLAN_ID, "F-1", 10)).toEqual(["F-1", "F-10"]);
    expect(await store.taskIds(PLAN_ID, "F%", 10)).toEqual(["F%"]);
    expect(await store.taskIds(PLAN_ID, "\u{1f600}", 10)).toEqual(["\u{1f600}a", "\u{1f600}b"]);
    expect(await store.taskIds(PLAN_ID, "F", 2)).toHaveLength(2);
    expect(await store.taskIds(PLAN_ID, "x", 10)).toEqual([]);
  });

  test("the graph yields every task that is not retired once, across pages", async () => {
    const { store } = await open();
    const chain = MANY.map((id, i) => (i === 0 ? id : `${id} < ${MANY[i - 1]}`));
    await loaded(store, "1", [...chain, "gone"]);
    await loaded(store, "2", chain);
    const graph = await graphOf(store, PLAN_ID);
    expect(graph.map((task) => task.id)).toEqual(MANY);
    expect(graph[1]).toEqual({ id: "F-2", title: "Task F-2", state: "pending", depends_on: ["F-1"] });
  });

  test("dependencies of the graph stand in natural order", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-10", "F-2", "G < F-10, F-2, F-1"]);
    expect((await graphOf(store, PLAN_ID)).at(-1)?.depends_on).toEqual(["F-1", "F-2", "F-10"]);
  });

  test("events are numbered without gaps and found by project, plan and task", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    await loaded(store, "1", ["F-1"], { id: "other", name: "other" });
    await verifies(store, "F-1");
    await does(store, { type: "hold.set", project: "elsewhere", key: "agent:a", until: null, why: "off" });
    const all = await store.events({ after: 0, limit: 200 });
    expect(all.map((event) => event.seq)).toEqual(all.map((_, i) => i + 1));
    const typesOf = async (query: object) =>
      (await store.events({ after: 0, limit: 200, ...query })).map((e) => e.type);
    expect(await typesOf({ plan: PLAN_ID, task: "F-2" })).toEqual(["task.added"]);
    expect(await typesOf({ plan: "other" })).toEqual(["task.added", "plan.loaded"]);
    expect(await typesOf({ project: "elsewhere" })).toEqual(["hold.set"]);
    expect(await typesOf({ plan: PLAN_ID, after: all.length - 2 })).toEqual(["task.verified"]);
    expect(await typesOf({ plan: PLAN_ID, task: "F-1", limit: 2 })).toEqual(["task.added", "attempt.created"]);
  });

  test("what was handed out is not a piece of the store", async () => {
    const { store } = await open();
    const command = commands.claim({ holder: { node: "n", boot: "b", pid: 1, start: "1" } });
    await loaded(store, "1", ["F-1"]);
    await does(store, command);
    command.holder.pid = 99;
    const record = (await store.task(PLAN_ID, "F-1"))!;
    record.lease!.holder.pid = 98;
    record.definition.title = "changed";
    expect((await store.task(PLAN_ID, "F-1"))!).toMatchObject({
      lease: { holder: { pid: 1 } },
      definition: { title: "Task F-1" },
    });
  });

  test("asking changes nothing", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2 < F-1"]);
    const log = await store.events({ after: 0, limit: 200 });
    await Promise.all([
      readyIds(store),
      store.gateRows(PROJECT, PLAN_ID),
      store.verify(),
      refused(store, commands.claim({ task: "F-2" })),
    ]);
    expect(await store.events({ after: 0, limit: 200 })).toEqual(log);
  });
});

async function graphOf(store: Store, plan: string): Promise<GraphTask[]> {
  const tasks: GraphTask[] = [];
  for await (const task of store.graph(plan)) tasks.push(task);
  return tasks;
}
