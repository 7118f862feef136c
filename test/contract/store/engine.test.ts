import { describe, expect, test } from "vitest";
import type { ItemOption } from "../../../src/core/task/rows.ts";
import * as commands from "../../fixtures/commands.ts";
import { HOLD, HOLDER, NOW } from "../../fixtures/loaded.ts";
import { STORES } from "./open-stores.ts";
import { claims, does, loaded, PLAN_ID, PROJECT, readyIds, refused, stateOf, TARGET } from "./scenario.ts";

const RUN = { type: "run.start", plan: PLAN_ID, id: "run", jobs: 2, tasks_max: null, budget_usd: 5 } as const;

describe.each(STORES)("the engine's rows in $name", ({ open }) => {
  test("an item is opened, answered, and moves its task on", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1"]);
    await does(
      store,
      commands.settle({ token: await claims(store, "F-1"), outcome: "blocked", error: "Which currency?" }),
    );
    const [item] = await store.openItems(PROJECT, null, 10);
    expect(item).toMatchObject({
      id: "i1",
      task: "F-1",
      kind: "question",
      text: "Which currency?",
      state: "open",
      opened_at: NOW,
    });
    expect((await store.summary(PLAN_ID))!.open_items).toBe(1);
    clock.time += 7;
    await does(store, { ...commands.answer("retry"), text: "Euro" });
    expect(await store.openItems(PROJECT, null, 10)).toEqual([]);
    expect(await stateOf(store, "F-1")).toBe("pending");
    expect(await refused(store, commands.answer("retry"))).toBe("item_closed: item i1 is answered: Euro");
    expect(await refused(store, { ...commands.answer("retry"), item: "i9" })).toBe("unknown_item: there is no item i9");
  });

  test("an item about the plan has no task, and its deadline is a time to wake at", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1"]);
    const options: ItemOption[] = [{ name: "yes", effect: "pending" }];
    const ask = {
      type: "item.open",
      plan: PLAN_ID,
      task: null,
      kind: "approval",
      text: "Go on?",
      options,
    } as const;
    await does(store, { ...ask, default_option: null, deadline_at: NOW + 10 });
    await does(store, { ...ask, default_option: "yes", deadline_at: NOW + 50 });
    expect((await store.openItems(PROJECT, PLAN_ID, 10)).map((item) => item.id)).toEqual(["i1", "i2"]);
    expect(await store.openItems(PROJECT, "other", 10)).toEqual([]);
    expect(await store.openItems("other", null, 10)).toEqual([]);
    expect(await store.nextDue(PLAN_ID)).toBe(NOW + 50);
    clock.time += 50;
    await does(store, { type: "item.expire", plan: PLAN_ID, item: "i2" });
    expect((await store.openItems(PROJECT, PLAN_ID, 10)).map((item) => item.id)).toEqual(["i1"]);
  });

  test("a run is live until it ends, and counts what it starts and spends", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    expect((await store.summary(PLAN_ID))!.run).toBeNull();
    await does(store, RUN);
    expect(await refused(store, { ...RUN, id: "run-2" })).toBe("run_live: plan checkout has a live run: run");
    const token = await claims(store, "F-1", { kind: "run", run: "run" });
    await does(store, commands.settle({ token, cost_usd: 0.25 }));
    expect((await store.summary(PLAN_ID))!.run).toMatchObject({
      id: "run",
      state: "running",
      started: 1,
      spent_usd: 0.25,
      started_by: "test",
    });
    await does(store, { type: "run.pause", plan: PLAN_ID });
    expect((await store.summary(PLAN_ID))!.run!.state).toBe("paused");
    await does(store, { type: "run.resume", plan: PLAN_ID, tasks_max: null });
    await does(store, { type: "run.stop", plan: PLAN_ID, why: "enough" });
    const [ended] = await does(store, { type: "run.end", plan: PLAN_ID, id: "run", outcome: "stopped" });
    expect(ended).toMatchObject({
      type: "run.ended",
      data: { outcome: "stopped", counts: { pending: 1, claimed_done: 1, in_progress: 0, verified: 0, failed: 0 } },
    });
    expect((await store.summary(PLAN_ID))!.run).toBeNull();
    await does(store, { ...RUN, id: "run-2" });
    expect((await store.summary(PLAN_ID))!.run!.id).toBe("run-2");
  });

  test("gates see runs at work, owners of files and work in place, and nothing of other external workers", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", [
      "F-1",
      "F-2",
      { id: "F-3", files_owned: ["src/a/**"] },
      { id: "F-4", files_owned: ["src/b/**"] },
    ]);
    await loaded(store, "1", ["F-1"], {
      id: "other",
      name: "other",
      policy: { lanes: {}, workspace: "in_place", land: { mode: "off", target: "t", base: null } },
    });
    await does(store, RUN);
    await does(store, { type: "hold.set", project: PROJECT, key: "agent:a", until: NOW + 500, why: "limit" });
    await claims(store, "F-1");
    await claims(store, "F-2", { kind: "run", run: "run", agent: "coder" });
    await claims(store, "F-3");
    const { run, holds, underway, started_last_hour } = await store.gateRows(PROJECT, PLAN_ID);
    expect(run).toMatchObject({ id: "run", started: 1 });
    expect(holds).toEqual([{ ...HOLD, project: PROJECT, key: "agent:a", until: NOW + 500 }]);
    expect([...underway].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      {
        plan: PLAN_ID,
        id: "F-2",
        state: "in_progress",
        mode: "none",
        target: TARGET,
        kind: "run",
        agent: "coder",
        files_owned: [],
      },
      {
        plan: PLAN_ID,
        id: "F-3",
        state: "in_progress",
        mode: "none",
        target: TARGET,
        kind: "external",
        agent: "anna",
        files_owned: ["src/a/**"],
      },
    ]);
    expect(started_last_hour).toEqual({ count: 1, first_at: NOW });
    expect(await store.gateRows("nowhere", PLAN_ID)).toMatchObject({
      holds: [],
      underway: [],
      started_last_hour: { count: 0, first_at: null },
    });
    clock.time += 3_600_000;
    expect((await store.gateRows(PROJECT, PLAN_ID)).started_last_hour).toEqual({ count: 0, first_at: null });
  });

  test("live runs of every project are told, and leases that workers let run out", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    expect(await store.liveRuns()).toEqual([]);
    await does(store, RUN);
    expect(await store.liveRuns()).toMatchObject([{ id: "run", plan: PLAN_ID, state: "running", panic: false }]);
    const token = await claims(store, "F-1");
    await claims(store, "F-2", { kind: "run", run: "run", agent: "coder" });
    expect(await store.runOut(PLAN_ID, 10)).toEqual([]);
    clock.time += 3_600_000;
    expect(await store.runOut(PLAN_ID, 10)).toEqual([{ task: "F-1", token }]);
    await does(store, { type: "lease.expire", plan: PLAN_ID, task: "F-1", token });
    expect(await store.runOut(PLAN_ID, 10)).toEqual([]);
    await does(store, { type: "run.end", plan: PLAN_ID, id: "run", outcome: "stopped" });
    expect(await store.liveRuns()).toEqual([]);
  });

  test("a task that owns files keeps others out for as long as it has work that has not landed", async () => {
    const { store } = await open();
    await loaded(store, "1", [
      { id: "F-1", files_owned: ["src/**"] },
      { id: "F-2", files_owned: ["src/cart.ts"] },
    ]);
    const token = await claims(store, "F-1");
    expect(await refused(store, commands.claim({ task: "F-2" }))).toBe(
      "overlap: F-2 cannot be claimed: its files may overlap with those of F-1",
    );
    await does(store, commands.fail({ token, unlanded: true }));
    expect(await refused(store, commands.claim({ task: "F-2" }))).toMatch(/^overlap: /);
    await does(store, commands.cancel());
    await claims(store, "F-2");
  });

  test("a cap on starts within the hour counts the attempts of runs", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    await does(store, RUN);
    const caps = { global: null, agent: null, hourly: 1 };
    await claims(store, "F-1", { kind: "run", run: "run", caps });
    expect(await refused(store, commands.claim({ task: "F-2", kind: "run", run: "run", caps }))).toBe(
      "hourly_cap: F-2 cannot be claimed: 1 attempts were started within the hour, of at most 1",
    );
    clock.time += 3_600_000;
    await claims(store, "F-2", { kind: "run", run: "run", caps });
  });

  test("a hold is set, changed, and cleared", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const hold = { type: "hold.set", project: PROJECT, key: "agent:anna", until: NOW + 9, why: "limit" } as const;
    await does(store, hold);
    await does(store, { ...hold, key: "agent:bert", until: NOW + 30 });
    await does(store, { ...hold, until: null, why: "for good" });
    expect((await store.gateRows(PROJECT, PLAN_ID)).holds).toContainEqual({
      ...HOLD,
      project: PROJECT,
      why: "for good",
    });
    await does(store, { type: "hold.clear", project: PROJECT, key: "agent:anna" });
    expect((await store.gateRows(PROJECT, PLAN_ID)).holds.map((h) => h.key)).toEqual(["agent:bert"]);
  });

  test("a limit holds its account in every project of the store, until its time has come and no attempt was turned away again", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    const key = "account:claude";
    const limit = { key, until: NOW + 50, known_from: "signal" } as const;
    const limited = { outcome: "rate_limited", error: "You've hit your limit", limit, draws_on: [key] } as const;
    await does(store, commands.settle({ task: "F-1", token: await claims(store, "F-1"), ...limited }));
    const why = "You've hit your limit";
    const held = { project: "", key, until: NOW + 50, why, known_from: "signal", count: 1, over: false };
    for (const project of [PROJECT, "elsewhere"]) expect(await store.holds(project)).toEqual([held]);
    // A plan that has nothing to start for it has nothing to wait for.
    expect(await store.nextDue(PLAN_ID)).toBeNull();
    const claim = commands.claim({ plan: PLAN_ID, task: "F-2", draws_on: [key] });
    expect(await refused(store, claim)).toBe(
      "model_held: F-2 cannot be claimed: account claude (of agent anna) is held: You've hit your limit",
    );
    const expire = { type: "hold.expire", project: PROJECT, key } as const;
    expect(await store.submit(expire, { actor: "test" })).toMatchObject({ ok: true, events: [] });
    clock.time += 50;
    expect(await store.submit(expire, { actor: "test" })).toMatchObject({ events: [{ type: "hold.cleared" }] });
    expect(await store.submit(expire, { actor: "test" })).toMatchObject({ ok: true, events: [] });
    expect(await store.holds("elsewhere")).toEqual([{ ...held, over: true }]);
    const token = await claims(store, "F-2", { draws_on: [key] });
    await does(store, commands.settle({ task: "F-2", token, draws_on: [key] }));
    expect(await store.holds(PROJECT)).toEqual([]);
  });

  test("the next due time is the nearest of all that lie ahead", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1", "F-2", { id: "F-3", retry_delay_ms: 30 }, "F-4 < F-3"]);
    expect(await store.nextDue(PLAN_ID)).toBeNull();
    await claims(store, "F-1", { expires_at: NOW + 70 });
    expect(await store.nextDue(PLAN_ID)).toBe(NOW + 70);
    await does(store, commands.fail({ task: "F-3", token: await claims(store, "F-3") }));
    expect(await store.nextDue(PLAN_ID)).toBe(NOW + 30);
    clock.time += 30;
    expect(await store.nextDue(PLAN_ID)).toBe(NOW + 70);
    expect(await readyIds(store)).toEqual(["F-2", "F-3"]);
    clock.time += 40;
    expect(await store.nextDue(PLAN_ID)).toBeNull();
  });

  test("who runs the engine on each node, and for which plan, is known until that one goes", async () => {
    const { store } = await open();
    const here = { ...HOLDER, plan: PLAN_ID };
    const there = { ...HOLDER, node: "there", plan: null };
    await store.setEngine(PROJECT, there, true);
    await store.setEngine(PROJECT, here, true);
    await store.setEngine("another", here, true);
    expect(await store.engines(PROJECT)).toEqual([here, there]);
    const next = { ...here, pid: 8, plan: "another plan" };
    await store.setEngine(PROJECT, next, true);
    await store.setEngine(PROJECT, here, false);
    expect(await store.engines(PROJECT)).toEqual([next, there]);
    await store.setEngine(PROJECT, next, false);
    expect(await store.engines(PROJECT)).toEqual([there]);
  });

  test("a configuration is kept by the hash of its file, one for each project", async () => {
    const { store } = await open();
    expect(await store.cachedConfig(PROJECT, "h1")).toBeNull();
    await store.cacheConfig(PROJECT, "h1", { jobs: 4 });
    expect(await store.cachedConfig(PROJECT, "h1")).toEqual({ jobs: 4 });
    await store.cacheConfig(PROJECT, "h2", { jobs: 5 });
    expect(await store.cachedConfig(PROJECT, "h1")).toBeNull();
    expect(await store.cachedConfig("another", "h2")).toBeNull();
  });
});
