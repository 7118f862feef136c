import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../../src/adapters/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/ports/store.ts";
import * as commands from "../../fixtures/commands.ts";
import { runChild } from "./children/run-child.ts";
import { manualClock, STORES, temporaryDirectory } from "./open-stores.ts";
import { claims, does, loaded, refused } from "./scenario.ts";

/** Counts wakes; `next` resolves with the one after the last that was awaited. */
function watching(store: Store) {
  const target = new EventTarget();
  const counter = { wakes: 0, stop: () => {}, next: () => once(target, "wake") };
  counter.stop = store.watch(() => {
    counter.wakes += 1;
    target.dispatchEvent(new Event("wake"));
  });
  return counter;
}

const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe.each(STORES)("watching $name", ({ open }) => {
  test("a commit of this process wakes, and many in one turn wake once", async () => {
    const { store } = await open();
    const watch = watching(store);
    await loaded(store, "1", ["F-1", "F-2"]);
    await claims(store, "F-1");
    await claims(store, "F-2");
    await nextTurn();
    expect(watch.wakes).toBe(1);
    watch.stop();
  });

  test("a refusal wakes nobody unless it left a note", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1", "F-2 < F-1"]);
    await nextTurn();
    const watch = watching(store);
    await refused(store, commands.claim({ task: "F-2" }));
    await nextTurn();
    expect(watch.wakes).toBe(0);
    await refused(store, commands.renew({ token: 9 }));
    await nextTurn();
    expect(watch.wakes).toBe(1);
    watch.stop();
  });

  test("whoever has stopped is not woken, and the others are", async () => {
    const { store } = await open();
    await loaded(store, "1", ["F-1"]);
    await nextTurn();
    const [first, second] = [watching(store), watching(store)];
    first.stop();
    first.stop();
    await does(store, commands.claim());
    await nextTurn();
    expect([first.wakes, second.wakes]).toEqual([0, 1]);
    second.stop();
  });
});

test("a commit of another process wakes within a second", async () => {
  const file = join(temporaryDirectory(), "store.db");
  const store = await openSqliteStore(file, { clock: manualClock() });
  await loaded(store, "1", ["F-1"]);
  await nextTurn();
  const watch = watching(store);
  const woken = watch.next();
  await runChild("claim-task.ts", file, "F-1");
  await woken;
  expect(watch.wakes).toBe(1);
  expect((await store.task("plan", "F-1"))!.row.state).toBe("in_progress");
  await store.close();
});

test("two stores of one process wake each other, and none wakes itself twice", async () => {
  const file = join(temporaryDirectory(), "store.db");
  const clock = manualClock();
  const [first, second] = await Promise.all([openSqliteStore(file, { clock }), openSqliteStore(file, { clock })]);
  await loaded(first, "1", ["F-1"]);
  await nextTurn();
  const [watch, other] = [watching(first), watching(second)];
  const woken = other.next();
  await does(first, commands.claim());
  await woken;
  await nextTurn();
  expect([watch.wakes, other.wakes]).toEqual([1, 1]);
  await first.close();
  await second.close();
});
