import assert from "node:assert/strict";
import test from "node:test";
import { CURRENCY } from "../src/currency.js";

test("has a name of three letters", () => {
  assert.match(CURRENCY ?? "", /^[A-Z]{3}$/);
});
