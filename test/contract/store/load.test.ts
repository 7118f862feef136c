import { describe, expect, test } from "vitest";
import * as commands from "../../fixtures/commands.ts";
import { NOW } from "../../fixtures/loaded.ts";
import { STORES } from "./open-stores.ts";
import {
  claims,
  compiled,
  countersOf,
  does,
  eventTypes,
  fails,
  finishes,
  loaded,
  loads,
  PLAN_ID,
  PROJECT,
  planOf,
  readyIds,
  refused,
  stateOf,
  tokenOf,
  verifies,
} from "./scenario.ts";

describe.each(STORES)("loading a plan into $name", ({ open }) => {
  test("the first revision inserts every task, ready where it depends on nothing", async () => {
    const { store } = await open();
    const counts = await loaded(store, "1", ["F-2 < F-1, F-3", "F-1", "F-3"]);
    expect(counts).toEqual({
      plan: "checkout",
      id: PLAN_ID,
      revision: 1,
      inserted: 3,
      updated: 0,
      retired: 0,
      restored: 0,
      total: 3,
    });
    expect(await countersOf(store, "F-1", "F-2", "F-3")).toEqual(["0/0", "2/0", "0/0"]);
    expect(await readyIds(store)).toEqual(["F-1", "F-3"]);
    expect(await store.plans(PROJECT)).toMatchObject([
      { id: PLAN_ID, name: "checkout", revision: 1, source_hash: "1" },
    ]);
    expect(await eventTypes(store)).toEqual(["task.added", "task.added", "task.added", "plan.loaded"]);
    expect(await store.verify()).toEqual([]);
  });

  test("the same source changes nothing and says so with zeros", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    const events = await eventTypes(store);
    expect(await loaded(store, "1", ["F-1", "F-2"], { id: "another" })).toEqual({
      plan: "checkout",
      id: PLAN_ID,
      revision: 1,
      inserted: 0,
      updated: 0,
      retired: 0,
      restored: 0,
      total: 2,
    });
    expect(await eventTypes(store)).toEqual(events);
  });

  test("other words for the same plan are no revision of it", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2 < F-1", "F-3"]);
    await verifies(store, "F-1");
    const [events, tasks] = [await eventTypes(store), await store.tasks(PLAN_ID, { offset: 0, limit: 50 })];
    const counts = await loaded(store, "2", ["F-1", "F-2 < F-1", "F-3"]);
    expect(counts).toEqual({
      ...{ plan: "checkout", id: PLAN_ID, revision: 1 },
      ...{ inserted: 0, updated: 0, retired: 0, restored: 0, total: 3 },
    });
    expect(await eventTypes(store)).toEqual(events);
    expect(await store.tasks(PLAN_ID, { offset: 0, limit: 50 })).toEqual(tasks);
    expect(await store.plans(PROJECT)).toMatchObject([{ revision: 1, source_hash: "2" }]);
    expect(await store.verify()).toEqual([]);
    expect(await loaded(store, "3", ["F-1", "F-2 < F-1", "F-3", "F-4"])).toMatchObject({ revision: 2, inserted: 1 });
  });

  test("a new revision keeps state and attempts, and tells what it changed", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2", "F-3"]);
    await verifies(store, "F-1");
    const counts = await loaded(store, "2", ["F-1", { id: "F-2", title: "New words" }, "F-3", "F-4 < F-1"]);
    expect(counts).toMatchObject({ revision: 2, inserted: 1, updated: 1, retired: 0, restored: 0, total: 4 });
    expect((await store.task(PLAN_ID, "F-2"))!).toMatchObject({ row: { title: "New words", revision: 2 } });
    expect((await store.task(PLAN_ID, "F-1"))!.row).toMatchObject({ state: "verified", attempts: 1, revision: 1 });
    expect(await countersOf(store, "F-4")).toEqual(["0/0"]);
    expect((await store.events({ after: 0, plan: PLAN_ID, limit: 200 })).at(-1)).toMatchObject({
      type: "plan.loaded",
      data: { name: "checkout", revision: 2, inserted: 1, updated: 1, retired: 0, restored: 0, total: 4 },
      actor: "test",
      at: NOW,
    });
    expect(await store.verify()).toEqual([]);
  });

  test("the policy of a new revision is the plan's", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const policy = { lanes: {}, workspace: "none", land: { mode: "off", target: "other", base: null } } as const;
    const changed = ["land.mode", "land.target", "lanes.build", "lanes.full", "lanes.reviewed"];
    expect(await loaded(store, "2", ["F-1"], { policy })).toMatchObject({
      ...{ revision: 2, inserted: 0, updated: 0 },
      policy_changed: changed,
    });
    expect((await store.events({ after: 0, plan: PLAN_ID, limit: 200 })).at(-1)).toMatchObject({
      ...{ type: "plan.loaded", data: { revision: 2, policy_changed: changed } },
    });
    expect((await store.planNamed(PROJECT, "checkout"))!.policy).toEqual(policy);
  });

  test("a changed definition waits for a live task", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const token = await claims(store, "F-1");
    await loaded(store, "2", [{ id: "F-1", title: "New words" }]);
    expect((await store.task(PLAN_ID, "F-1"))!.definition.title).toBe("Task F-1");
    await does(store, commands.fail({ token }));
    expect((await store.task(PLAN_ID, "F-1"))!.definition.title).toBe("New words");
  });

  test("a task that waits for a review and gets another lane begins that one anew", async () => {
    const { store } = await open();
    await loaded(store, "1", [{ id: "F-1", lane: "reviewed" }]);
    await finishes(store, "F-1");
    await does(store, commands.record({ token: tokenOf(await does(store, commands.begin())) }));
    expect((await store.task(PLAN_ID, "F-1"))!.row).toMatchObject({ state: "pending", phase: 1 });
    await loaded(store, "2", [{ id: "F-1", lane: "build" }]);
    expect((await store.task(PLAN_ID, "F-1"))!.row).toMatchObject({ state: "pending", phase: 0 });
    await verifies(store, "F-1");
  });

  test("a pending task can get other dependencies, whatever has become of them", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", { id: "F-2", tries: 1 }, "F-3", "F-4 < F-1"]);
    await verifies(store, "F-1");
    await fails(store, "F-2");
    await loaded(store, "2", ["F-1", { id: "F-2", tries: 1 }, "F-3", "F-4 < F-1, F-2, F-3"]);
    expect(await countersOf(store, "F-4")).toEqual(["2/1"]);
    expect((await store.dependencies(PLAN_ID, "F-4")).map((d) => d.id)).toEqual(["F-1", "F-2", "F-3"]);
    await loaded(store, "3", ["F-1", { id: "F-2", tries: 1 }, "F-3", "F-4 < F-1"]);
    expect(await countersOf(store, "F-4")).toEqual(["0/0"]);
    expect(await readyIds(store)).toEqual(["F-3", "F-4"]);
    expect(await store.verify()).toEqual([]);
  });

  test("a task that the plan knows can come to depend on one that is new", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    await loaded(store, "2", ["F-1 < F-2", "F-2"]);
    expect(await countersOf(store, "F-1")).toEqual(["1/0"]);
    expect(await readyIds(store)).toEqual(["F-2"]);
    expect(await store.verify()).toEqual([]);
  });

  test("dependencies of a task that has begun are refused by name, and nothing is changed", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2", "F-3", "F-4"]);
    await claims(store, "F-2");
    await verifies(store, "F-3");
    const before = [await store.tasks(PLAN_ID, { offset: 0, limit: 50 }), await eventTypes(store)];
    expect(await loads(store, "2", ["F-1", "F-2 < F-1", "F-3 < F-1", "F-5"])).toEqual({
      ok: false,
      problems: [
        { path: "task F-2", message: "task F-2 is in_progress: its dependencies can no longer change" },
        { path: "task F-3", message: "task F-3 is verified: its dependencies can no longer change" },
      ],
    });
    expect([await store.tasks(PLAN_ID, { offset: 0, limit: 50 }), await eventTypes(store)]).toEqual(before);
    expect((await store.planNamed(PROJECT, "checkout"))?.revision).toBe(1);
    expect(await store.verify()).toEqual([]);
  });

  test("a problem in a first revision leaves no plan behind", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    await does(store, { type: "task.add", plan: PLAN_ID, added: compiled("F-2"), origin: "operator" });
    expect(await loads(store, "2", ["F-1", "F-2"])).toMatchObject({
      ok: false,
      problems: [{ message: "task F-2 was added by hand: give the one in the file another id" }],
    });
  });

  test("a task that left the file is retired: cancelled when it was waiting, blocked or failed", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", { id: "F-2", tries: 1 }, "F-3", "F-4 < F-1, F-2, F-3"]);
    await fails(store, "F-2");
    await finishes(store, "F-3");
    const counts = await loaded(store, "2", ["F-4 < F-1, F-2, F-3"]);
    expect(counts).toMatchObject({ retired: 3, total: 1 });
    for (const task of ["F-1", "F-2", "F-3"])
      expect((await store.task(PLAN_ID, task))!.row).toMatchObject({
        state: "cancelled",
        reason: "retired",
        retired: true,
      });
    expect(await countersOf(store, "F-4")).toEqual(["3/3"]);
    expect((await store.summary(PLAN_ID))!.tallies).toMatchObject({ cancelled: 3, retired: 3, pending: 1, failed: 0 });
    expect(await readyIds(store)).toEqual([]);
    expect(await store.verify()).toEqual([]);
  });

  test("what is verified stays so when it leaves the file", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2 < F-1"]);
    await verifies(store, "F-1");
    await loaded(store, "2", ["F-2 < F-1"]);
    expect((await store.task(PLAN_ID, "F-1"))!.row).toMatchObject({ state: "verified", retired: true });
    expect(await readyIds(store)).toEqual(["F-2"]);
    expect(await store.verify()).toEqual([]);
  });

  test("a live external attempt of a retired task is settled, and its token is stale", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    const token = await claims(store, "F-1");
    await loaded(store, "2", ["F-2"]);
    expect((await store.task(PLAN_ID, "F-1"))!).toMatchObject({
      row: { state: "cancelled", retired: true },
      attempt: { state: "settled", outcome: "cancelled", stop: { then: "cancelled" } },
      lease: null,
    });
    expect(await refused(store, commands.done({ token }))).toBe(
      "stale_token: token 1 no longer holds F-1: nothing holds the task",
    );
    expect(await store.verify()).toEqual([]);
  });

  test("a live attempt of a run is marked, and its task is cancelled when the run has settled it", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    await does(store, { type: "run.start", plan: PLAN_ID, id: "run", jobs: 1, tasks_max: null, budget_usd: null });
    const token = await claims(store, "F-1", { kind: "run", run: "run" });
    await loaded(store, "2", ["F-2"]);
    expect((await store.task(PLAN_ID, "F-1"))!).toMatchObject({
      row: { state: "in_progress", retired: true },
      attempt: { stop: { as: "cancelled", then: "cancelled" } },
    });
    await does(store, commands.settle({ token }));
    expect((await store.task(PLAN_ID, "F-1"))!.row).toMatchObject({ state: "cancelled", reason: "retired" });
    expect(await store.verify()).toEqual([]);
  });

  test("the open items of a retired task are withdrawn", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    await does(
      store,
      commands.settle({ token: await claims(store, "F-1"), outcome: "blocked", error: "Which currency?" }),
    );
    expect(await store.openItems(PROJECT, PLAN_ID, 10)).toHaveLength(1);
    await loaded(store, "2", ["F-2"]);
    expect(await stateOf(store, "F-1")).toBe("cancelled");
    expect(await store.openItems(PROJECT, PLAN_ID, 10)).toEqual([]);
    expect((await store.summary(PLAN_ID))!.open_items).toBe(0);
    expect(await store.verify()).toEqual([]);
  });

  test("a retired task that returns is pending again, and its dependants wait for it", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2 < F-1"]);
    await loaded(store, "2", ["F-2 < F-1"]);
    expect(await countersOf(store, "F-2")).toEqual(["1/1"]);
    expect(await loaded(store, "3", ["F-1", "F-2 < F-1"])).toMatchObject({
      restored: 1,
      inserted: 0,
      updated: 0,
      total: 2,
    });
    expect((await store.task(PLAN_ID, "F-1"))!.row).toMatchObject({
      state: "pending",
      retired: false,
      reason: "restored",
    });
    expect(await countersOf(store, "F-2")).toEqual(["1/0"]);
    expect(await eventTypes(store, "F-1")).toEqual([
      "task.added",
      "task.retired",
      "task.cancelled",
      "task.returned",
      "task.requeued",
    ]);
    expect(await store.verify()).toEqual([]);
  });

  test("tasks that were added by hand are no business of the file", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    await does(store, { type: "task.add", plan: PLAN_ID, added: compiled("G-1 < F-1"), origin: "operator" });
    expect(await loaded(store, "2", [{ id: "F-1", title: "Other" }])).toMatchObject({
      retired: 0,
      updated: 1,
      total: 2,
    });
    expect(await stateOf(store, "G-1")).toBe("pending");
    await loaded(store, "3", []);
    expect(await countersOf(store, "G-1")).toEqual(["1/1"]);
    expect(await store.verify()).toEqual([]);
  });

  test("a slug stays with its task, and a later task cannot have it", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    await loaded(store, "2", [{ id: "F-1", slug: "other", title: "New words" }]);
    expect((await store.task(PLAN_ID, "F-1"))!.row.slug).toBe("F-1");
    expect(await loads(store, "3", ["F-1", { id: "f-1", slug: "f-1" }])).toEqual({
      ok: false,
      problems: [
        {
          path: "task f-1",
          message: "task f-1 would be filed under f-1, which stands for task F-1: give it another id",
        },
      ],
    });
  });

  test("names are a project's own", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    await store.load(
      { type: "plan.load", project: "another", id: "p2", plan: planOf("1", ["F-1"]) },
      { actor: "test" },
    );
    expect((await store.plans(PROJECT)).map((p) => p.id)).toEqual([PLAN_ID]);
    expect((await store.planNamed("another", "checkout"))?.id).toBe("p2");
    expect(await store.planNamed("another", "nothing")).toBeNull();
  });
});
