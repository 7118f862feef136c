import { describe, expect, test } from "vitest";
import type { RowCommand } from "../../../src/core/task/commands.ts";
import * as commands from "../../fixtures/commands.ts";
import { HOLDER, NOW } from "../../fixtures/loaded.ts";
import { STORES } from "./open-stores.ts";
import {
  claims,
  compiled,
  countersOf,
  does,
  eventTypes,
  fails,
  loaded,
  PLAN_ID,
  PROJECT,
  planOf,
  readyIds,
  refused,
  stateOf,
  verifies,
} from "./scenario.ts";

describe.each(STORES)("commands on $name", ({ open }) => {
  test("a repeated command id returns the first answer and changes nothing", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const envelope = { actor: "anna", command_id: "c-1" };
    const first = await store.submit(commands.claim(), envelope);
    const second = await store.submit(commands.claim(), envelope);
    expect(first.ok).toBe(true);
    expect(second).toEqual(first);
    expect(await store.attempts(PLAN_ID, "F-1")).toHaveLength(1);
  });

  test("the first answer is kept when it was a refusal, with the note that it left", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const stale = await store.submit(commands.renew({ token: 9 }), { actor: "anna", command_id: "c-1" });
    const unknown = await store.submit(commands.claim({ task: "F-9" }), { actor: "anna", command_id: "c-2" });
    await claims(store, "F-1");
    expect(await store.submit(commands.renew({ token: 9 }), { actor: "anna", command_id: "c-1" })).toEqual(stale);
    expect(await store.submit(commands.claim({ task: "F-9" }), { actor: "anna", command_id: "c-2" })).toEqual(unknown);
    expect(stale.events.map((event) => event.type)).toEqual(["lease.refused"]);
    expect(unknown).toEqual({
      ok: false,
      events: [],
      rejection: {
        code: "unknown_task",
        message: "plan checkout has no task F-9",
        hint: "`lockstep plan show` lists the tasks.",
        retriable: false,
      },
    });
  });

  test("a repeated load returns the counts of the first", async () => {
    const { store } = await open();
    const load = { type: "plan.load", project: PROJECT, id: PLAN_ID, plan: planOf("1", ["F-1"]) } as const;
    const first = await store.load(load, { actor: "anna", command_id: "c-1" });
    expect(
      await store.load({ ...load, plan: planOf("2", ["F-1", "F-2"]) }, { actor: "anna", command_id: "c-1" }),
    ).toEqual(first);
    expect((await store.planNamed(PROJECT, "checkout"))?.revision).toBe(1);
  });

  test("an id that stands for a command is not taken for a load, nor the other way round", async () => {
    const { store } = await open();
    const load = { type: "plan.load", project: PROJECT, id: PLAN_ID, plan: planOf("1", ["F-1"]) } as const;
    await store.load(load, { actor: "anna", command_id: "c-1" });
    await store.submit(commands.claim(), { actor: "anna", command_id: "c-2" });
    await expect(store.submit(commands.claim(), { actor: "anna", command_id: "c-1" })).rejects.toThrow(
      "command c-1 was the load of a plan",
    );
    await expect(store.load(load, { actor: "anna", command_id: "c-2" })).rejects.toThrow(
      "command c-2 was no load of a plan",
    );
  });

  test("a refused command changes nothing", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2 < F-1"]);
    const before = await Promise.all([store.task(PLAN_ID, "F-2"), store.summary(PLAN_ID), eventTypes(store)]);
    expect(await refused(store, commands.claim({ task: "F-2" }))).toBe(
      "dependency_pending: F-2 cannot be claimed: depends on 1 task to be verified",
    );
    expect(await Promise.all([store.task(PLAN_ID, "F-2"), store.summary(PLAN_ID), eventTypes(store)])).toEqual(before);
  });

  test("a plan that is not there is a refusal", async () => {
    const { store } = await open();
    expect(await refused(store, commands.claim())).toBe("unknown_plan: there is no plan plan");
  });

  test("a stale token is refused, and the refusal stands in the log", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const token = await claims(store, "F-1");
    expect(await refused(store, commands.done({ token: token + 1 }))).toBe(
      "stale_token: token 2 no longer holds F-1: it was never given for this task",
    );
    expect((await eventTypes(store, "F-1")).at(-1)).toBe("lease.refused");
    expect(await stateOf(store, "F-1")).toBe("in_progress");
  });

  test("a claim gives attempt, lease and token in one step", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const [created, moved] = await does(store, commands.claim());
    const record = (await store.task(PLAN_ID, "F-1"))!;
    expect(record.row).toMatchObject({ state: "in_progress", attempts: 1, started_at: NOW, reason: "claimed" });
    expect(record.attempt).toMatchObject({
      n: 1,
      token: 1,
      agent: "anna",
      base: "base",
      base_tree: "base-tree",
      state: "created",
    });
    expect(record.lease).toMatchObject({ holder: HOLDER, token: 1, expires_at: NOW + 1_800_000 });
    expect(created).toMatchObject({
      type: "attempt.created",
      at: NOW,
      v: 1,
      project: PROJECT,
      plan: PLAN_ID,
      task: "F-1",
      attempt: 1,
      actor: "test",
    });
    expect(moved).toMatchObject({ type: "task.claimed", seq: created!.seq + 1 });
    expect(await refused(store, commands.claim())).toBe("not_ready: F-1 cannot be claimed: it is in_progress");
  });

  test("a failed try waits for its time, and the last one ends the task", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", [{ id: "F-1", tries: 2 }, "F-2 < F-1"]);
    await does(store, commands.fail({ token: await claims(store, "F-1") }));
    expect(await readyIds(store)).toEqual([]);
    expect(await store.nextDue(PLAN_ID)).toBe(NOW + 10_000);
    clock.time += 10_000;
    expect(await readyIds(store)).toEqual(["F-1"]);
    await does(store, commands.fail({ token: await claims(store, "F-1") }));
    expect(await stateOf(store, "F-1")).toBe("failed");
    expect(await countersOf(store, "F-2")).toEqual(["1/1"]);
    expect((await store.attempts(PLAN_ID, "F-1")).map((a) => [a.n, a.outcome, a.error])).toEqual([
      [1, "failed", "it broke"],
      [2, "failed", "it broke"],
    ]);
  });

  test("a retry brings an ended task back, and its dependants wait for it again", async () => {
    const { store } = await open();
    await loaded(store, "1", [{ id: "F-1", tries: 1 }, "F-2 < F-1"]);
    await fails(store, "F-1");
    await does(store, commands.retry());
    expect(await stateOf(store, "F-1")).toBe("pending");
    expect(await countersOf(store, "F-2")).toEqual(["1/0"]);
    expect(await store.verify()).toEqual([]);
  });

  test("a retry is refused while a dependant stands on the skip", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2 < F-1", "F-3 < F-1"]);
    await does(store, commands.skip({ satisfies: true }));
    await claims(store, "F-2");
    expect(await refused(store, commands.retry())).toBe(
      "dependants_relied: F-1 cannot be retried: F-2 relied on its being skipped",
    );
  });

  test.each([
    { command: commands.skip(), state: "skipped", counters: "1/1" },
    { command: commands.skip({ satisfies: true }), state: "skipped", counters: "0/0" },
    { command: commands.cancel(), state: "cancelled", counters: "1/1" },
    { command: commands.override(), state: "verified", counters: "0/0" },
  ] as { command: RowCommand; state: string; counters: string }[])(
    "$command.type leaves the task $state and its dependants at $counters",
    async ({ command, state, counters }) => {
      const { store } = await open();
      await loaded(store, "1", ["F-1", "F-2 < F-1"]);
      await does(store, command);
      expect(await stateOf(store, "F-1")).toBe(state);
      expect(await countersOf(store, "F-2")).toEqual([counters]);
      expect(await store.verify()).toEqual([]);
    },
  );

  test("a skip ends a live external attempt at once, and its token is stale", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const token = await claims(store, "F-1");
    await does(store, commands.skip());
    expect((await store.task(PLAN_ID, "F-1"))!.attempt).toMatchObject({ state: "settled", outcome: "cancelled" });
    expect(await refused(store, commands.done({ token }))).toBe(
      "stale_token: token 1 no longer holds F-1: nothing holds the task",
    );
  });

  test("a cascade skips what asked for it, and nothing else", async () => {
    const { store } = await open();
    await loaded(store, "1", [
      { id: "F-1", tries: 1 },
      { id: "F-2", after: ["F-1"], on_dependency_failed: "cascade" },
      { id: "F-10", after: ["F-1"], on_dependency_failed: "cascade" },
      { id: "F-3", after: ["F-1"] },
      { id: "F-4", after: ["F-2"], on_dependency_failed: "cascade" },
    ]);
    expect(await store.cascading(PLAN_ID, 10)).toEqual([]);
    await fails(store, "F-1");
    expect(await store.cascading(PLAN_ID, 10)).toEqual(["F-2", "F-10"]);
    expect(await store.cascading(PLAN_ID, 1)).toEqual(["F-2"]);
    await does(store, { ...commands.cascade(), task: "F-2" });
    expect(await store.cascading(PLAN_ID, 10)).toEqual(["F-4", "F-10"]);
    expect(await stateOf(store, "F-2")).toBe("skipped");
    expect(await store.verify()).toEqual([]);
  });

  test("a definition that comes to ask for a cascade, or no longer asks, is heeded", async () => {
    const { store } = await open();
    await loaded(store, "1", [{ id: "F-1", tries: 1 }, "F-2 < F-1"]);
    await fails(store, "F-1");
    await does(store, { type: "task.edit", plan: PLAN_ID, task: "F-2", patch: { on_dependency_failed: "cascade" } });
    expect(await store.cascading(PLAN_ID, 10)).toEqual(["F-2"]);
    await does(store, { type: "task.edit", plan: PLAN_ID, task: "F-2", patch: { on_dependency_failed: "wait" } });
    expect(await store.cascading(PLAN_ID, 10)).toEqual([]);
    expect(await store.verify()).toEqual([]);
  });

  test("a task joins a plan with its dependencies", async () => {
    const { store } = await open();
    await loaded(store, "1", [{ id: "F-1", tries: 1 }, "F-2", "F-3"]);
    await fails(store, "F-1");
    await verifies(store, "F-2");
    const added = compiled("F-4 < F-1, F-2, F-3");
    await does(store, { type: "task.add", plan: PLAN_ID, added, origin: "operator" });
    expect(await countersOf(store, "F-4")).toEqual(["2/1"]);
    expect(await store.dependencies(PLAN_ID, "F-4")).toEqual([
      { id: "F-1", state: "failed", satisfied: false },
      { id: "F-2", state: "verified", satisfied: true },
      { id: "F-3", state: "pending", satisfied: false },
    ]);
    expect(await refused(store, { type: "task.add", plan: PLAN_ID, added, origin: "operator" })).toBe(
      "task_exists: plan checkout has a task F-4 already",
    );
    const lost = compiled("F-5 < F-9");
    expect(await refused(store, { type: "task.add", plan: PLAN_ID, added: lost, origin: "operator" })).toBe(
      "unknown_dependency: task F-5 depends on F-9, which plan checkout does not have",
    );
    expect(await store.verify()).toEqual([]);
  });

  test("an edit changes the definition at once, or once a live task is pending again", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const edit = { type: "task.edit", plan: PLAN_ID, task: "F-1" } as const;
    await does(store, { ...edit, patch: { title: "Sums", priority: 1 } });
    expect((await store.task(PLAN_ID, "F-1"))!.row).toMatchObject({ title: "Sums", priority: 1 });
    const token = await claims(store, "F-1");
    await does(store, { ...edit, patch: { title: "Totals", files_owned: ["src/**"] } });
    expect((await store.task(PLAN_ID, "F-1"))!.definition.title).toBe("Sums");
    await does(store, commands.fail({ token }));
    const { row, definition } = (await store.task(PLAN_ID, "F-1"))!;
    expect([row.title, row.owns, definition.title]).toEqual(["Totals", true, "Totals"]);
    expect(await store.verify()).toEqual([]);
  });
});
