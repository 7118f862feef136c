import { describe, expect, test } from "vitest";
import type { QueuedTask } from "./landing-queue.ts";
import { ordinal, placeInQueue, queueText } from "./landing-queue.ts";

const task = (id: string, plan = "p"): QueuedTask => ({ plan, plan_name: plan === "p" ? "shop" : plan, id });
const QUEUE = ["A", "B", "C"].map((id) => task(id));
const TARGET = "refs/heads/lockstep/shop";

describe("a place in the landing queue", () => {
  test("is behind all that stand before it", () => {
    expect(placeInQueue(QUEUE, null, task("C"))).toEqual({ place: 3, ahead: [task("A"), task("B")] });
    expect(placeInQueue(QUEUE, null, task("A"))).toEqual({ place: 1, ahead: [] });
  });

  test("is behind what is being landed, though that would come later", () => {
    const landing = { plan: "p", task: "C" };
    expect(placeInQueue(QUEUE, landing, task("B"))).toEqual({ place: 3, ahead: [task("C"), task("A")] });
    expect(placeInQueue(QUEUE, { plan: "p", task: "A" }, task("B"))).toEqual({ place: 2, ahead: [task("A")] });
    expect(placeInQueue(QUEUE, { plan: "p", task: "B" }, task("B"))).toEqual({ place: 2, ahead: [task("A")] });
  });

  test("is behind what is being landed though its task waits no more", () => {
    expect(placeInQueue(QUEUE, { plan: "p", task: "X" }, task("A"))?.ahead).toEqual([
      { plan: "p", plan_name: "p", id: "X" },
    ]);
  });

  test("is unknown behind the part of the queue that was read", () => {
    expect(placeInQueue(QUEUE, null, task("D"))).toBeNull();
    expect(placeInQueue(QUEUE, null, task("A", "other"))).toBeNull();
  });
});

test("who waits is told where, and behind whom", () => {
  const text = (id: string, queue: readonly QueuedTask[] = QUEUE): string =>
    queueText(placeInQueue(queue, null, task(id))!, TARGET, "p");
  expect(text("A")).toBe("first in the landing queue of lockstep/shop");
  expect(text("B")).toBe("second in the landing queue of lockstep/shop, behind A");
  expect(text("C")).toBe("third in the landing queue of lockstep/shop, behind A and B");
  expect(text("A", [task("A", "other"), task("A")])).toBe(
    "second in the landing queue of lockstep/shop, behind other/A",
  );
  const long = Array.from({ length: 12 }, (_, index) => task(`F-${index + 1}`));
  expect(text("F-5", long)).toBe("fifth in the landing queue of lockstep/shop, behind F-1, F-2, F-3 and F-4");
  expect(text("F-12", long)).toBe("12th in the landing queue of lockstep/shop, behind F-1, F-2, F-3 and 8 more");
});

test("places are counted in words, and in figures from the eleventh on", () => {
  expect([1, 10, 11, 12, 13, 21, 22, 23, 24, 101, 111].map(ordinal)).toEqual([
    "first",
    "tenth",
    "11th",
    "12th",
    "13th",
    "21st",
    "22nd",
    "23rd",
    "24th",
    "101st",
    "111th",
  ]);
});
