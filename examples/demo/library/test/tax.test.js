import assert from "node:assert/strict";
import test from "node:test";
import { tax } from "../src/rates.js";

test("is 19 percent, rounded half up", () => {
  assert.equal(tax(100), 19);
  assert.equal(tax(50), 10);
  assert.equal(tax(103), 20);
});
