/** Spans of time as people write them in plans and configurations, and on the command line. */

/** Longest span that is read: a timer of Node holds 2^31 - 1 ms, about 24 days. */
export const DURATION_MS_MAX = 24 * 24 * 3_600_000;

/** What a duration looks like: `90s`, `10m`, `1h`, `500ms`, `1h30m`. Never empty, the larger unit first. */
export const DURATION_PATTERN = /^(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

const UNITS_MS = [3_600_000, 60_000, 1_000, 1] as const;
const UNIT_NAMES = ["h", "m", "s", "ms"] as const;

/** Milliseconds of a written duration; null when it is not one, or longer than `DURATION_MS_MAX`. */
export function parseDuration(text: string): number | null {
  const match = DURATION_PATTERN.exec(text);
  if (match === null) return null;
  const total = UNITS_MS.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
  return total <= DURATION_MS_MAX ? total : null;
}

/** The shortest text that `parseDuration` reads back as the same number of milliseconds: `5400000` is `1h30m`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms));
  let text = "";
  for (const [index, unit] of UNITS_MS.entries()) {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    if (count > 0) text += `${count}${UNIT_NAMES[index]}`;
  }
  return text === "" ? "0s" : text;
}
