/** How long until a limit is over, where the words tell it so: `in 1h 30m`, `in 45 seconds`, `retry-after: 30`. Pure. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const UNITS: readonly [names: string, ms: number][] = [
  ["milliseconds?|msecs?|ms", 1],
  ["seconds?|secs?|s", SECOND_MS],
  ["minutes?|mins?|m", MINUTE_MS],
  ["hours?|hrs?|h", 60 * MINUTE_MS],
  ["days?|d", 24 * 60 * MINUTE_MS],
  ["weeks?|w", 7 * 24 * 60 * MINUTE_MS],
];

const PART = `(\\d{1,7}(?:\\.\\d{1,9})?)\\s*(${UNITS.map(([names]) => names).join("|")})(?![a-z])`;
const DURATION = new RegExp(
  `^[\\s:="'(]*(?:again\\s+)?(?:in|after|for)?\\s*(?:about\\s+|~\\s*)?(${PART}(?:[\\s,]+(?:and\\s+)?|(?=\\d)|(?![a-z])))+`,
  "i",
);
const EACH_PART = new RegExp(PART, "gi");

/** Of a header a number alone is seconds. */
const SECONDS = /^(?:["']?\s*[:=]\s*["']?|\s+after\s+)(\d{1,6})(?=["'\s]*(?:$|[,;)}\n]|\.(?!\d)))/i;

/**
 * Milliseconds; null where the words behind the cue do not begin with a duration. What is told in whole units may be
 * cut off below them: seconds count as one more, anything longer as a minute more.
 */
export function readDuration(behind: string): number | null {
  const bare = SECONDS.exec(behind);
  if (bare) return (Number(bare[1]) + 1) * SECOND_MS;
  const whole = DURATION.exec(behind)?.[0];
  if (whole === undefined) return null;
  const parts = [...whole.matchAll(EACH_PART)].map(([, number, unit]) => ({ number: number!, ms: unitMs(unit!) }));
  const total = parts.reduce((sum, { number, ms }) => sum + Number(number) * ms, 0);
  const isExact = parts.some(({ number, ms }) => ms < SECOND_MS || (ms === SECOND_MS && number.includes(".")));
  if (isExact) return total;
  return total + (parts.some(({ ms }) => ms === SECOND_MS) ? SECOND_MS : MINUTE_MS);
}

function unitMs(unit: string): number {
  return UNITS.find(([names]) => new RegExp(`^(?:${names})$`, "i").test(unit))![1];
}
