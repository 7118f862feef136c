const FROM = 10_000;

/** Ten percent off from 100.00 on, in cents, rounded in the customer's favour. */
export function discounted(cents) {
  return cents < FROM ? cents : Math.floor((cents * 90) / 100);
}
