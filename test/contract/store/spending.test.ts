import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/ports/store.ts";
import * as commands from "../../fixtures/commands.ts";
import { NOW } from "../../fixtures/loaded.ts";
import { STORES } from "./open-stores.ts";
import { claims, does, loaded, PLAN_ID } from "./scenario.ts";

const NOTHING = { input: 0, output: 0, cache_read: null, cache_write: null };
const USED = { input: 1, output: 20, cache_read: 300, cache_write: 4_000 };
const DAY_MS = 86_400_000;

/** One attempt of a task by an agent, from its claim to its end. */
async function spends(store: Store, task: string, agent: string, model: string | null, over: object): Promise<void> {
  const token = await claims(store, task, { kind: "run", agent, run: "run" });
  if (model !== null) await does(store, { type: "attempt.report", plan: PLAN_ID, task, token, session: "s", model });
  await does(store, commands.settle({ task, token, ...over }));
}

describe.each(STORES)("what attempts used in $name", ({ open }) => {
  test("is summed by task, agent, model and day, and what nobody told is counted", async () => {
    const { store, clock } = await open();
    await loaded(store, "1", ["F-1", "F-2"]);
    await does(store, { type: "run.start", plan: PLAN_ID, id: "run", jobs: 9, tasks_max: null, budget_usd: null });
    const cut = { outcome: "interrupted", usage: USED, partial: true } as const;
    await spends(store, "F-1", "coder", "opus", cut);
    await spends(store, "F-1", "coder", "opus", { outcome: "interrupted", usage: USED, cost_usd: 0.5 });
    clock.time += DAY_MS;
    await spends(store, "F-1", "other", null, { outcome: "interrupted" });
    await claims(store, "F-1", { kind: "run", agent: "coder", run: "run" });
    const token = await claims(store, "F-2", { agent: "anna" });
    await does(store, commands.settle({ task: "F-2", token, usage: USED }));
    const twice = { input: 2, output: 40, cache_read: 600, cache_write: 8_000 };
    const opus = {
      agent: "coder",
      model: "opus",
      attempts: 2,
      untold: 0,
      partial: 1,
      usage: twice,
      costed: 1,
      cost_usd: 0.5,
      uncosted: USED,
    };
    const untold = {
      agent: "other",
      model: null,
      attempts: 1,
      untold: 1,
      partial: 0,
      usage: NOTHING,
      costed: 0,
      cost_usd: 0,
      uncosted: NOTHING,
    };
    const both = (a: string | null, b: string | null) => [
      { key: a, ...opus },
      { key: b, ...untold },
    ];
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    expect(await store.spending(PLAN_ID, "task")).toEqual(both("F-1", "F-1"));
    expect(await store.spending(PLAN_ID, "agent")).toEqual(both("coder", "other"));
    expect(await store.spending(PLAN_ID, "day")).toEqual(both(day(NOW), day(NOW + DAY_MS)));
    expect(new Set(await store.spending(PLAN_ID, "model"))).toEqual(new Set(both("opus", null)));
    expect(await store.spending("nothing", "task")).toEqual([]);
    const [attempt] = await store.attempts(PLAN_ID, "F-1");
    expect(attempt).toMatchObject({ model: "opus", partial: true, session: "s" });
  });
});
