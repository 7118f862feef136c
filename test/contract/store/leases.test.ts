import { describe, expect, test } from "vitest";
import * as commands from "../../fixtures/commands.ts";
import { NOW } from "../../fixtures/loaded.ts";
import { STORES } from "./open-stores.ts";
import { claims, does, finishes, loaded, PLAN_ID, PROJECT, refused, stateOf, TARGET, tokenOf } from "./scenario.ts";

describe.each(STORES)("leases and verdicts on $name", ({ open }) => {
  test("a renewed lease lasts longer, and ends with its attempt", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    const token = await claims(store, "F-1");
    await does(store, commands.renew({ token, expires_at: NOW + 5_000_000 }));
    expect((await store.task(PLAN_ID, "F-1"))!.lease?.expires_at).toBe(NOW + 5_000_000);
    await does(store, commands.done({ token }));
    expect((await store.task(PLAN_ID, "F-1"))!.lease).toBeNull();
  });

  test("the next claim settles an external attempt whose lease has run out", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1"]);
    const token = await claims(store, "F-1", { expires_at: NOW + 1_000 });
    clock.time += 1_000;
    const next = await claims(store, "F-1");
    expect(next).toBe(token + 1);
    expect((await store.attempts(PLAN_ID, "F-1")).map((a) => [a.state, a.outcome, a.ended_at])).toEqual([
      ["settled", "lost", NOW + 1_000],
      ["created", null, null],
    ]);
    expect(await refused(store, commands.done({ token }))).toBe(
      "stale_token: token 1 no longer holds F-1: a newer one holds the task",
    );
    expect(await store.verify()).toEqual([]);
  });

  test("what a claim settles stays settled when the claim itself is refused", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1"]);
    await claims(store, "F-1", { expires_at: NOW + 1_000 });
    await does(store, { type: "hold.set", project: PROJECT, key: "agent:bert", until: null, why: "resting" });
    clock.time += 1_000;
    expect(await refused(store, commands.claim({ agent: "bert" }))).toBe(
      "model_held: F-1 cannot be claimed: agent bert is held: resting",
    );
    expect((await store.task(PLAN_ID, "F-1"))!).toMatchObject({
      row: { state: "pending", lost: 1 },
      attempt: { outcome: "lost" },
      lease: null,
    });
  });

  test("a lease that has run out is settled when it is asked for, and not before", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1"]);
    const token = await claims(store, "F-1", { expires_at: NOW + 1_000 });
    expect(await refused(store, { ...commands.leaseExpire(), token })).toBe(
      "not_due: the lease of F-1 has not expired",
    );
    clock.time += 1_000;
    await does(store, { ...commands.leaseExpire(), token });
    expect(await stateOf(store, "F-1")).toBe("pending");
  });

  test("a person's verdict is an attempt of its own, begun and ended in one step", async () => {
    const { store } = await open();
    await loaded(store, "1", [{ id: "F-1", lane: "reviewed", verify: [] }]);
    await finishes(store, "F-1");
    const token = tokenOf(await does(store, commands.begin()));
    const green = { ...commands.GREEN, kind: "guard" } as const;
    await does(store, commands.record({ token, result: green }));
    await does(store, commands.give("approved"));
    expect(await store.attempts(PLAN_ID, "F-1")).toMatchObject([
      { n: 1, phase: "build", outcome: "succeeded" },
      { n: 2, phase: "review", outcome: "succeeded", agent: "bert" },
    ]);
    expect(await stateOf(store, "F-1")).toBe("claimed_done");
    expect(await store.verify()).toEqual([]);
  });

  test("tokens grow over all plans and projects", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    await loaded(store, "1", ["F-1"], { id: "other", name: "other" });
    expect(await claims(store, "F-1")).toBe(1);
    expect(await claims(store, "F-1", { plan: "other" })).toBe(2);
    await finishesOf(store, 2);
    expect(tokenOf(await does(store, commands.begin({ plan: "other", target: TARGET })))).toBe(3);
  });
});

async function finishesOf(store: Parameters<typeof does>[0], token: number): Promise<void> {
  await does(store, commands.done({ plan: "other", token }));
}
