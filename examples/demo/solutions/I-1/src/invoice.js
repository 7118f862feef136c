import { cartTotal } from "./cart.js";
import { discounted } from "./discount.js";
import { formatAmount } from "./format.js";
import { tax } from "./tax.js";

/** The lines of a cart as an invoice of text: total, tax, sum to pay. */
export function invoice(lines) {
  const total = discounted(cartTotal(lines));
  const taxes = tax(total);
  return `total ${formatAmount(total)}\ntax ${formatAmount(taxes)}\nto pay ${formatAmount(total + taxes)}\n`;
}
