import assert from "node:assert/strict";
import test from "node:test";
import { CURRENCY } from "../src/currency.js";
import { invoice } from "../src/invoice.js";

test("shows total, tax and the sum to pay", () => {
  const text = invoice([{ price: "60.00", quantity: 2 }]);
  assert.equal(text, `total 108.00\ntax 20.52\nto pay 128.52 ${CURRENCY}\n`);
});
