import assert from "node:assert/strict";
import test from "node:test";
import { parseAmount } from "../src/money.js";

test("reads euros and cents", () => {
  assert.equal(parseAmount("12.50"), 1250);
  assert.equal(parseAmount("0.05"), 5);
  assert.equal(parseAmount("3"), 300);
});

test("refuses what is not an amount", () => {
  for (const text of ["", "x", "1.234", "-1", "1,20"]) assert.throws(() => parseAmount(text), RangeError);
});
