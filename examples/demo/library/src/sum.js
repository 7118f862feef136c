/** Adds amounts in cents; an empty list is 0. */
export function sum(_amounts) {
  throw new Error("sum is not written yet");
}
