import assert from "node:assert/strict";
import test from "node:test";
import { report } from "../src/report.js";

test("is a line for each cart", () => {
  const carts = { anna: [{ price: "1.20", quantity: 3 }], bert: [] };
  assert.equal(report(carts), "customer,total\nanna,3.60\nbert,0.00\n");
});
