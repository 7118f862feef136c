/** 19 % of an amount in cents, rounded half up. */
export function tax(_cents) {
  throw new Error("tax is not written yet");
}
