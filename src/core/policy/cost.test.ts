import { expect, test } from "vitest";
import { costOf, NO_USAGE, type Price, plus } from "./cost.ts";

const PRICE: Price = { input: 3, output: 15, cache_read: 0.3, cache_write: null };

test("each bucket has its own price, for a million tokens", () => {
  expect(costOf({ input: 1_000_000, output: 2_000, cache_read: 10_000, cache_write: 0 }, PRICE)).toBeCloseTo(3.033, 9);
  expect(costOf(NO_USAGE, PRICE)).toBe(0);
});

test("what has no price has no known cost, and is not free", () => {
  expect(costOf({ ...NO_USAGE, cache_write: 1 }, PRICE)).toBeNull();
  expect(costOf({ ...NO_USAGE, input: 1 }, undefined)).toBeNull();
});

test("usage is added bucket by bucket", () => {
  const used = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
  expect(plus(used, { input: 10, output: 20, cache_read: 30, cache_write: 40 })).toEqual({
    input: 11,
    output: 22,
    cache_read: 33,
    cache_write: 44,
  });
});
