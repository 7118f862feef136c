/**
 * When a limit is over, read from the words in which an agent tells of it: for services that send no typed time. Pure.
 *
 * A time that is told to the minute may be any moment of that minute, so it is over when the minute is: never early.
 */

import { readDuration } from "./reset-duration.ts";
import { DAY_MS, momentOf, type WallTime, wallTime, type Zone, zoneNamed } from "./zone-time.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** No limit of any service lasts longer: what seems further away has been misread, or has passed. */
const AHEAD_MAX_MS = 35 * DAY_MS;

/** An agent's last words are short; a limit is told at their beginning or at their end. */
const TEXT_MAX = 4_000;

/** The words behind one of these that may tell the time. */
const CUE =
  /\b(?:resets?(?:[_ -]?at|ting)?|(?:try|retry)(?:ing)?(?:[ _-]?(?:again|after))?|available|renews?|wait|until)\b/gi;
const BEHIND_MAX = 100;
const CUES_MAX = 20;

/**
 * The latest time that the words name, milliseconds since 1970; null where they name none in the next weeks. `zone` is
 * taken where the words name no zone of their own.
 */
export function resetTime(text: string, now: number, zone: string): number | null {
  const words = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX / 2)} … ${text.slice(-TEXT_MAX / 2)}` : text;
  const found = behindCues(words).flatMap((behind) => readTime(behind, now, zone) ?? []);
  const times = found.filter((at) => at > now && at <= now + AHEAD_MAX_MS);
  return times.length === 0 ? null : Math.max(...times);
}

function behindCues(words: string): string[] {
  const cues = [...words.matchAll(CUE)].slice(0, CUES_MAX);
  const behind = cues.map(({ index, 0: cue }) => words.slice(index + cue.length, index + cue.length + BEHIND_MAX));
  // `usage limit reached|1795960317`
  const bare = /\|(\d{10}\b.{0,20})/.exec(words);
  return bare ? [...behind, ` ${bare[1]}`] : behind;
}

function readTime(behind: string, now: number, zone: string): number | null {
  const ahead = readDuration(behind);
  if (ahead !== null) return Math.ceil(now + ahead);
  return readEpoch(behind) ?? readIso(behind, zone) ?? readDated(behind, now, zone) ?? readClock(behind, now, zone);
}

/** Seconds, or milliseconds, since 1970, of this century. */
function readEpoch(behind: string): number | null {
  const found = /^\D{0,20}\b((?:9|[1-3]\d)\d{8})(\d{3})?\b/.exec(behind);
  if (!found) return null;
  return found[2] === undefined ? Number(found[1]) * SECOND_MS + SECOND_MS : Number(found[1]! + found[2]);
}

const ISO = /\b(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z\b|[+-]\d\d:?\d\d)?/;

function readIso(behind: string, zone: string): number | null {
  const found = ISO.exec(behind);
  if (!found) return null;
  const [whole, year, month, day, hour, minute, second, fraction, offset] = found;
  const named =
    offset === undefined
      ? zoneBehind(behind.slice(found.index + whole.length), zone)
      : zoneNamed(offset === "Z" ? "UTC" : offset);
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second ?? 0) };
  const wall = { year: Number(year), month: Number(month), day: Number(day), ...clock };
  if (named === null || !isClock(clock) || !isDate(wall)) return null;
  const precision =
    second === undefined
      ? MINUTE_MS
      : fraction === undefined
        ? SECOND_MS
        : Math.ceil(Number(`0.${fraction}`) * SECOND_MS);
  return momentOf(named, wall) + precision;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = `(?<month>${MONTHS.join("|")})[a-z]*\\.?`;
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(?:,?\\s+(?<year>\\d{4}))?";
const DATES = [`${MONTH}\\s+${DAY}${YEAR}`, `${DAY}\\s+${MONTH}${YEAR}`].map(
  (date) => new RegExp(`\\b${date}(?=[\\s,.;)]|$),?\\s*(?:at\\s+|@\\s*)?`, "i"),
);

/** `Oct 12 at 5pm`, `Mar 26, 2026 5:55 AM`. Without a time it is over when the day is. */
function readDated(behind: string, now: number, zone: string): number | null {
  const found = DATES.map((date) => date.exec(behind)).find((each) => each !== null);
  if (!found) return null;
  const rest = behind.slice(found.index + found[0].length);
  const clock = clockAt(rest);
  const named = zoneBehind(clock === null ? rest : rest.slice(clock.length), zone);
  if (named === null) return null;
  const { month: name, day, year } = found.groups!;
  const month = MONTHS.indexOf(name!.toLowerCase()) + 1;
  const time = clock?.time ?? { hour: 0, minute: 0, second: 0 };
  const inYear = (of: number): number | null => {
    const wall = { year: of, month, day: Number(day), ...time };
    if (!isDate(wall)) return null;
    return clock === null ? momentOf(named, { ...wall, day: wall.day + 1 }) : momentOf(named, wall) + clock.precision;
  };
  if (year !== undefined) return inYear(Number(year));
  const thisYear = wallTime(named, now).year;
  return [inYear(thisYear), inYear(thisYear + 1)].find((at) => at !== null && at > now) ?? null;
}

const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_WORD = new RegExp(`\\b(?<word>tomorrow|${WEEKDAYS.join("|")})[a-z]*\\b`, "i");

/** `2:40pm (Europe/Berlin)`, `at 3am`, `tomorrow at 9:00`: the next such time. */
function readClock(behind: string, now: number, zone: string): number | null {
  const start =
    /^[\s:="'(·,-]*(?:(?:on|at|is|again|tomorrow|today|(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*)[\s,]+)*/i.exec(behind)![0]
      .length;
  const clock = clockAt(behind.slice(start));
  if (clock === null) return null;
  const behindClock = behind.slice(start + clock.length);
  const named = zoneBehind(behindClock, zone);
  if (named === null) return null;
  const word = DAY_WORD.exec(behind.slice(0, start))?.groups?.["word"]?.toLowerCase();
  const today = wallTime(named, now);
  const on = (days: number): number =>
    momentOf(named, { ...today, day: today.day + days, ...clock.time }) + clock.precision;
  if (word === "tomorrow") return on(1);
  if (word === undefined) return on(0) > now ? on(0) : on(1);
  const days = (WEEKDAYS.indexOf(word) - weekdayOf(today) + 7) % 7;
  return on(days) > now ? on(days) : on(days + 7);
}

interface ReadClock {
  time: Pick<WallTime, "hour" | "minute" | "second">;
  /** How much later it may be, milliseconds. */
  precision: number;
  /** Characters that it takes. */
  length: number;
}

const CLOCK = /^(\d{1,2})(?::(\d\d)(?::(\d\d))?)?(?:\s*([ap])\.?m\b\.?)?/i;

/** A number alone is no time of the day. */
function clockAt(words: string): ReadClock | null {
  const found = CLOCK.exec(words);
  if (!found || (found[2] === undefined && found[4] === undefined)) return null;
  const [whole, hours, minute, second, half] = found;
  if (half !== undefined && (Number(hours) < 1 || Number(hours) > 12)) return null;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const time = { hour, minute: Number(minute ?? 0), second: Number(second ?? 0) };
  if (!isClock(time)) return null;
  return { time, precision: second === undefined ? MINUTE_MS : SECOND_MS, length: whole.length };
}

/** `(Europe/Berlin)`, `UTC`, `UTC+2`. Any other word is none. */
const ZONE =
  /^\s*(?:\(\s*)?([A-Z][A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+|(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d\d)?)?|[A-Z]{3,5}|[+-]\d\d:?\d\d)(?![A-Za-z/])/;

/** The zone that stands there, else the usual one; null where one stands there that does not exist. */
function zoneBehind(words: string, usual: string): Zone | null {
  return zoneNamed(ZONE.exec(words)?.[1] ?? usual);
}

function isClock({ hour, minute, second }: Pick<WallTime, "hour" | "minute" | "second">): boolean {
  return hour < 24 && minute < 60 && second < 60;
}

/** The calendar has it: the thirtieth of February would be a day of March. */
function isDate({ year, month, day }: WallTime): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const zone = (): number => 0;
  return wallTime(zone, momentOf(zone, { year, month, day, hour: 0, minute: 0, second: 0 })).day === day && day <= 31;
}

/** 0 is Sunday. 1970 began on a Thursday. */
function weekdayOf({ year, month, day }: WallTime): number {
  const days = momentOf(() => 0, { year, month, day, hour: 0, minute: 0, second: 0 }) / DAY_MS;
  return (((days + 4) % 7) + 7) % 7;
}
