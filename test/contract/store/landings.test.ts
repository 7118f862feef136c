import { describe, expect, test } from "vitest";
import * as commands from "../../fixtures/commands.ts";
import { HOLDER, NOW } from "../../fixtures/loaded.ts";
import { STORES } from "./open-stores.ts";
import {
  claims,
  does,
  finishes,
  loaded,
  PLAN_ID,
  PROJECT,
  refused,
  stateOf,
  TARGET,
  tokenOf,
  verifies,
} from "./scenario.ts";

describe.each(STORES)("landings in $name", ({ open }) => {
  test("a landing is begun, keeps its green checks, and ends with the move of the target", async () => {
    const { store } = await open();
    await loaded(store, "1", [
      {
        id: "F-1",
        verify: [
          { run: "a", timeout_ms: 1 },
          { run: "b", timeout_ms: 1 },
        ],
      },
    ]);
    await finishes(store, "F-1");
    const check = { command: "b", process: { ...HOLDER, pid: 9 } };
    const token = tokenOf(await does(store, commands.begin({ check: { ...check, command: "a" } })));
    expect(await store.landing(PROJECT, TARGET)).toMatchObject({
      task: "F-1",
      token,
      check: { command: "a" },
      passed: [],
      version: 0,
    });
    const result = { ...commands.GREEN, command: "a", ms: 12.5 };
    await does(store, commands.record({ token, result, next: check }));
    expect(await store.landing(PROJECT, TARGET)).toMatchObject({ check, passed: ["verify a"], version: 1 });
    await does(store, commands.land({ token, checks: [{ ...commands.GREEN, command: "b" }] }));
    expect(await store.landing(PROJECT, TARGET)).toBeNull();
    expect((await store.task(PLAN_ID, "F-1"))!.row).toMatchObject({
      state: "verified",
      landed_target: TARGET,
      landed_sha: "candidate",
      landed_tree: "tree",
    });
    expect(await store.checks(PLAN_ID, "F-1")).toEqual([
      { ...result, attempt: 1, at: NOW },
      { ...commands.GREEN, command: "b", attempt: 1, at: NOW },
    ]);
    expect(await store.verify()).toEqual([]);
  });

  test("one landing holds a target until it is replaced by whoever knows its token", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    await finishes(store, "F-1");
    await finishes(store, "F-2");
    const first = tokenOf(await does(store, commands.begin()));
    expect(await refused(store, commands.begin({ task: "F-2" }))).toBe(
      "landing_held: process 7 on here is landing F-1 on the same target",
    );
    const second = tokenOf(await does(store, commands.begin({ task: "F-2", over: first })));
    expect(await store.landing(PROJECT, TARGET)).toMatchObject({ task: "F-2", token: second });
    expect(await refused(store, commands.land({ token: first }))).toMatch(/^stale_token: /);
    const third = tokenOf(
      await does(store, {
        type: "landing.adopt",
        plan: PLAN_ID,
        task: "F-2",
        target: TARGET,
        holder: HOLDER,
        over: second,
      }),
    );
    await does(store, commands.land({ task: "F-2", token: third }));
    expect(await stateOf(store, "F-2")).toBe("verified");
  });

  test("a red check sends the work back and frees the target", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    await finishes(store, "F-1");
    const token = tokenOf(await does(store, commands.begin()));
    await does(store, commands.record({ token, result: commands.RED }));
    expect(await stateOf(store, "F-1")).toBe("pending");
    expect(await store.landing(PROJECT, TARGET)).toBeNull();
    expect((await store.task(PLAN_ID, "F-1"))!.row.last_error).toBe("verify `npm test` ended with 1: 1 failing");
  });

  test("what waits to be landed stands in the order in which it was handed over", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1", "F-2", "F-3"]);
    await claims(store, "F-3");
    const token = await claims(store, "F-1");
    clock.time += 5;
    await finishes(store, "F-2");
    clock.time += 5;
    await does(store, commands.done({ token }));
    expect((await store.unlanded(PLAN_ID, 10)).map((record) => record.row.id)).toEqual(["F-2", "F-1"]);
    expect((await store.unlanded(PLAN_ID, 1)).map((record) => record.row.id)).toEqual(["F-2"]);
    const queued = (id: string): object => ({ plan: PLAN_ID, plan_name: "checkout", id });
    expect(await store.landingQueue(PROJECT, TARGET, 10)).toEqual([queued("F-2"), queued("F-1")]);
    expect(await store.landingQueue(PROJECT, TARGET, 1)).toEqual([queued("F-2")]);
    expect(await store.landingQueue(PROJECT, "refs/heads/other", 10)).toEqual([]);
    expect(await store.landingQueue("other", TARGET, 10)).toEqual([]);
    expect((await store.active(PLAN_ID, 10)).map((record) => [record.row.id, record.row.state])).toEqual([
      ["F-1", "claimed_done"],
      ["F-3", "in_progress"],
      ["F-2", "claimed_done"],
    ]);
  });

  test("what is more urgent waits before what was handed over earlier", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1", "F-2", { id: "F-3", priority: 1 }]);
    for (const id of ["F-2", "F-1", "F-3"]) {
      await finishes(store, id);
      clock.time += 5;
    }
    const ids = async (): Promise<string[]> => (await store.unlanded(PLAN_ID, 10)).map((record) => record.row.id);
    expect(await ids()).toEqual(["F-3", "F-2", "F-1"]);
    expect((await store.landingQueue(PROJECT, TARGET, 10)).map(({ id }) => id)).toEqual(["F-3", "F-2", "F-1"]);
  });

  test("a landing that was put off waits for its time, which is one to wake up for", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1"]);
    await finishes(store, "F-1");
    const token = tokenOf(await does(store, commands.begin()));
    await does(store, { ...commands.landingFail("environment"), token });
    expect((await store.task(PLAN_ID, "F-1"))?.row).toMatchObject({ state: "claimed_done", environment: 1 });
    expect(await store.unlanded(PLAN_ID, 10)).toEqual([]);
    expect(await store.landingQueue(PROJECT, TARGET, 10)).toEqual([]);
    expect(await store.nextDue(PLAN_ID)).toBe(clock.time + 60_000);
    clock.time += 60_000;
    expect(await store.nextDue(PLAN_ID)).toBeNull();
    expect((await store.unlanded(PLAN_ID, 10)).map(({ row }) => row.id)).toEqual(["F-1"]);
  });

  test("how a guard last ended on a tree is known, whichever task it ran for", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    const result = { ...commands.RED, kind: "guard", command: "lint", tree: "t1" } as const;
    await does(store, { type: "check.baseline", plan: PLAN_ID, task: "F-1", result: { ...result, outcome: "green" } });
    expect(await store.guardOutcome(PLAN_ID, "t1", "lint")).toBe("green");
    await does(store, { type: "check.baseline", plan: PLAN_ID, task: "F-2", result });
    await does(store, {
      type: "check.baseline",
      plan: PLAN_ID,
      task: "F-2",
      result: { ...result, kind: "verify", tree: "t2" },
    });
    expect(await store.guardOutcome(PLAN_ID, "t1", "lint")).toBe("red");
    expect(await store.guardOutcome(PLAN_ID, "t2", "lint")).toBeNull();
    expect(await store.guardOutcome(PLAN_ID, "t1", "other")).toBeNull();
  });

  test("a guard is flaky when it was green and red on one tree", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    const result = { ...commands.GREEN, kind: "guard", command: "lint", tree: "t1" } as const;
    const ran = (task: string, over: object) =>
      does(store, { type: "check.baseline", plan: PLAN_ID, task, result: { ...result, ...over } });
    await ran("F-1", {});
    await ran("F-1", { tree: "t2", outcome: "red" });
    await ran("F-1", { outcome: "red", kind: "verify" });
    await ran("F-1", { outcome: "red", command: "other" });
    expect(await store.isFlaky(PLAN_ID, "lint")).toBe(false);
    await ran("F-2", { outcome: "red" });
    expect(await store.isFlaky(PLAN_ID, "lint")).toBe(true);
    expect(await store.isFlaky("other", "lint")).toBe(false);
  });

  test("a verified plan is whole", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2 < F-1", "F-3 < F-2"]);
    for (const task of ["F-1", "F-2", "F-3"]) await verifies(store, task);
    expect((await store.summary(PLAN_ID))!.tallies).toMatchObject({ verified: 3, pending: 0 });
    expect(await store.verify()).toEqual([]);
  });
});
