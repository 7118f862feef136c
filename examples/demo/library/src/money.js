/** "12.50" -> 1250 cents. Anything else that a till should refuse is a RangeError. */
export function parseAmount(_text) {
  throw new Error("parseAmount is not written yet");
}
