/** Adds amounts in cents; an empty list is 0. */
export function sum(amounts) {
  return amounts.reduce((total, amount) => total + amount, 0);
}
