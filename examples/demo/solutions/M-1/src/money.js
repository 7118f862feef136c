const AMOUNT = /^(\d+)(?:\.(\d{2}))?$/;

/** "12.50" -> 1250 cents. Anything else that a till should refuse is a RangeError. */
export function parseAmount(text) {
  const match = AMOUNT.exec(text);
  if (!match) throw new RangeError(`not an amount: ${JSON.stringify(text)}`);
  return Number(match[1]) * 100 + Number(match[2] ?? 0);
}
