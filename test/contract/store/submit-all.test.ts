import { describe, expect, test } from "vitest";
import * as commands from "../../fixtures/commands.ts";
import { STORES } from "./open-stores.ts";
import { claims, does, eventTypes, finishes, loaded, PLAN_ID, PROJECT, stateOf, TARGET } from "./scenario.ts";

const TEST = { actor: "test" };

describe.each(STORES)("several commands at once in $name", ({ open }) => {
  test("each is decided on what the one before it left, and the answer has the events of all", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const token = await claims(store, "F-1");
    const answer = await store.submitAll([commands.done({ token }), commands.begin()], TEST);
    expect(answer.ok).toBe(true);
    expect(answer.events.map(({ type }) => type)).toEqual(["attempt.settled", "task.claimed_done", "landing.begun"]);
    expect(await store.events({ after: answer.events[0]!.seq - 1, limit: 10 })).toEqual(answer.events);
    expect(await stateOf(store, "F-1")).toBe("claimed_done");
    expect(await store.landing(PROJECT, TARGET)).toMatchObject({ task: "F-1", token: token + 1 });
    expect(await store.verify()).toEqual([]);
  });

  test("a refusal of any leaves nothing of any, not even its own note", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    await finishes(store, "F-2");
    await does(store, commands.begin({ task: "F-2" }));
    const token = await claims(store, "F-1");
    const [before, known] = [await store.task(PLAN_ID, "F-1"), await eventTypes(store)];
    const held = await store.submitAll([commands.done({ token }), commands.begin()], TEST);
    expect(held).toMatchObject({ ok: false, events: [], rejection: { code: "landing_held" } });
    const stale = await store.submitAll([commands.done({ token: token + 9 }), commands.begin()], TEST);
    expect(stale).toMatchObject({ ok: false, events: [], rejection: { code: "stale_token" } });
    expect(await store.task(PLAN_ID, "F-1")).toEqual(before);
    expect(await eventTypes(store)).toEqual(known);
    expect(await store.landing(PROJECT, TARGET)).toMatchObject({ task: "F-2" });
    expect(await store.verify()).toEqual([]);
  });

  test("no commands change nothing", async () => {
    const { store } = await open();
    expect(await store.submitAll([], TEST)).toEqual({ ok: true, events: [] });
  });
});
