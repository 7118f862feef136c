import assert from "node:assert/strict";
import test from "node:test";
import { sum } from "../src/sum.js";

test("adds cents", () => {
  assert.equal(sum([]), 0);
  assert.equal(sum([1, 20, 300]), 321);
});
