import { cartTotal } from "./cart.js";
import { formatAmount } from "./format.js";

/** Totals of many carts as CSV with a header. */
export function report(carts) {
  const lines = Object.entries(carts).map(([customer, cart]) => `${customer},${formatAmount(cartTotal(cart))}`);
  return `${["customer,total", ...lines].join("\n")}\n`;
}
