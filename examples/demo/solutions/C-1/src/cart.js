import { parseAmount } from "./money.js";
import { sum } from "./sum.js";

/** [{ price: "1.20", quantity: 3 }] -> total in cents. */
export function cartTotal(lines) {
  return sum(lines.map(({ price, quantity }) => parseAmount(price) * quantity));
}
