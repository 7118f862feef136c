import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

const NEVER = new AbortController().signal;

test("no more go on at once than there are slots, and who waits comes in its turn, also after one that failed", async () => {
  const slots = new Slots(2);
  let now = 0;
  let most = 0;
  const order: number[] = [];
  const each = [1, 2, 3, 4, 5].map((n) =>
    slots.take(NEVER, async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      order.push(n);
      if (n === 1) throw new Error("it failed");
      return n;
    }),
  );
  const settled = await Promise.allSettled(each);
  expect(settled.map((one) => (one.status === "fulfilled" ? one.value : "failed"))).toEqual(["failed", 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(order).toEqual([1, 2, 3, 4, 5]);
});

test("one whose turn comes too late does nothing", async () => {
  const slots = new Slots(1);
  const gone = AbortSignal.abort();
  expect(await slots.take(gone, async () => "done")).toBeNull();
  expect(await slots.take(NEVER, async () => "done")).toBe("done");
});
