import assert from "node:assert/strict";
import test from "node:test";
import { formatAmount } from "../src/format.js";
import { parseAmount } from "../src/money.js";

test("writes what parseAmount reads", () => {
  for (const text of ["12.50", "0.05", "300.00"]) assert.equal(formatAmount(parseAmount(text)), text);
});
