/** 19 % of an amount in cents, rounded half up. */
export function tax(cents) {
  return Math.floor((cents * 19 + 50) / 100);
}
