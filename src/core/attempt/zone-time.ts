/** Times of the day in a zone of the world, as moments. Pure: the platform's own tables of zones are asked, never its clock. */

/** What a clock on a wall and a calendar beside it say. Months and days from 1. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds by which a zone is ahead of UTC at a moment. */
export type Zone = (at: number) => number;

/** `UTC+2`, `GMT-03:30`, `+05:45`. */
const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/i;

/** Abbreviations of which the platform knows no zone; where several zones have one, that of the latest times. */
const SHORT_NAMES: Readonly<Record<string, number>> = { EDT: -4, CDT: -5, CST: -6, MDT: -6, PDT: -7, AKDT: -8 };

/** The zone of a name, such as `Europe/Berlin`, `UTC`, `PST` or `UTC+2`; null: there is none of this name. */
export function zoneNamed(name: string): Zone | null {
  const offset = OFFSET.exec(name);
  if (offset) {
    const ms = Number(offset[2]) * HOUR_MS + Number(offset[3] ?? 0) * MINUTE_MS;
    return () => (offset[1] === "-" ? -ms : ms);
  }
  const hours = SHORT_NAMES[name.toUpperCase()];
  if (hours !== undefined) return () => hours * HOUR_MS;
  const format = formatOf(name);
  return format === null ? null : (at) => utcOf(wallTimeBy(format, at)) - Math.floor(at / SECOND_MS) * SECOND_MS;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    const digits = { month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      hourCycle: "h23",
      year: "numeric",
      ...digits,
    });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function wallTimeBy(format: Intl.DateTimeFormat, at: number): WallTime {
  const parts = format.formatToParts(at);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)!.value);
  return {
    year: of("year"),
    month: of("month"),
    day: of("day"),
    hour: of("hour"),
    minute: of("minute"),
    second: of("second"),
  };
}

/** What clocks in a zone show at a moment. */
export function wallTime(zone: Zone, at: number): WallTime {
  const ms = at + zone(at);
  const [days, rest] = [Math.floor(ms / DAY_MS), ((ms % DAY_MS) + DAY_MS) % DAY_MS];
  return {
    ...dateOf(days),
    hour: Math.floor(rest / HOUR_MS),
    minute: Math.floor((rest % HOUR_MS) / MINUTE_MS),
    second: Math.floor((rest % MINUTE_MS) / SECOND_MS),
  };
}

/**
 * When clocks in a zone show this. Where they show it twice, the later time; where they leave it out, the later of the
 * two moments that could be meant.
 */
export function momentOf(zone: Zone, wall: WallTime): number {
  const utc = utcOf(wall);
  // No zone is a day away from UTC, so the change that may stand near is between these two.
  const moments = [zone(utc - DAY_MS), zone(utc + DAY_MS)].map((offset) => utc - offset);
  const shown = moments.filter((at) => at + zone(at) === utc);
  return Math.max(...(shown.length > 0 ? shown : moments));
}

/** The same as if the zone were UTC. Days beyond the end of a month run on into the next. */
export function utcOf({ year, month, day, hour, minute, second }: WallTime): number {
  return daysTo(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
}

/** Days since 1970 of a date: years are counted from March, so that the leap day is the last of one. */
function daysTo(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468;
}

/** The date so many days after 1970 began: the inverse of `daysTo`. */
function dateOf(days: number): Pick<WallTime, "year" | "month" | "day"> {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
