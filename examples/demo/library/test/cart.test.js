import assert from "node:assert/strict";
import test from "node:test";
import { cartTotal } from "../src/cart.js";

test("counts each line as often as it was bought", () => {
  assert.equal(
    cartTotal([
      { price: "1.20", quantity: 3 },
      { price: "0.40", quantity: 1 },
    ]),
    400,
  );
});
