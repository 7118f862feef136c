/** Totals of many carts as CSV with a header. */
export function report(_carts) {
  throw new Error("report is not written yet");
}
