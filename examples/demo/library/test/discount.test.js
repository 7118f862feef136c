import assert from "node:assert/strict";
import test from "node:test";
import { discounted } from "../src/rates.js";

test("takes ten percent off from 100.00 on", () => {
  assert.equal(discounted(9_999), 9_999);
  assert.equal(discounted(10_000), 9_000);
  assert.equal(discounted(10_005), 9_004);
});
