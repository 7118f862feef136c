import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resetTime } from "./reset-time.ts";

/** A Friday. */
const NOW = Date.UTC(2026, 2, 20, 12, 0, 0);

const read = (text: string, now = NOW, zone = "UTC"): string | null => {
  const at = resetTime(text, now, zone);
  return at === null ? null : new Date(at).toISOString().replace(".000Z", "Z");
};

test.each([
  ["You've hit your limit · resets 1:51pm (UTC)", "2026-03-20T13:52:00Z"],
  ["resets 2:40pm (Europe/Berlin)", "2026-03-20T13:41:00Z"],
  ["resets at 3am", "2026-03-21T03:01:00Z"],
  ["resets 12am", "2026-03-21T00:01:00Z"],
  ["resets 12:05 p.m.", "2026-03-20T12:06:00Z"],
  ["Please try again at 1:54 PM.", "2026-03-20T13:55:00Z"],
  ["try again at Mar 26, 2026 5:55 AM", "2026-03-26T05:56:00Z"],
  ["resets Apr 12 at 5pm (America/New_York)", "2026-04-12T21:01:00Z"],
  ["You can try again after 12 Apr 2026 08:00:30", "2026-04-12T08:00:31Z"],
  ["resets Mar 31", "2026-04-01T00:00:00Z"],
  ["resets tomorrow at 1pm", "2026-03-21T13:01:00Z"],
  ["resets Fri at 11:59", "2026-03-27T12:00:00Z"],
  ["resets Monday 9:00 (Asia/Kathmandu)", "2026-03-23T03:16:00Z"],
  ["resets 2pm PST", "2026-03-20T21:01:00Z"],
  ["resets 14:40 UTC+5:45", "2026-03-21T08:56:00Z"],
  ["retry in 1h 30m", "2026-03-20T13:31:00Z"],
  ["retry in 1h30m", "2026-03-20T13:31:00Z"],
  ["try again in 3 days 4 hours and 12 minutes", "2026-03-23T16:13:00Z"],
  ["in 45 seconds it goes on: retry in 45 seconds", "2026-03-20T12:00:46Z"],
  ["Please try again in 1.898s.", "2026-03-20T12:00:01.898Z"],
  ["retry-after: 30", "2026-03-20T12:00:31Z"],
  ['{"resets_at":1774015200}', "2026-03-20T14:00:01Z"],
  ['{"resetsAt":1774015200123}', "2026-03-20T14:00:00.123Z"],
  ["usage limit reached|1774015200", "2026-03-20T14:00:01Z"],
  ["available again at 2026-03-20T14:00:00Z", "2026-03-20T14:00:01Z"],
  ["resets at 2026-03-20 14:00 (Europe/Berlin)", "2026-03-20T13:01:00Z"],
  ["resets at 2026-03-20T14:00:00.250+05:45", null],
  ["resets at 2026-03-20T18:00:00.25+05:45", "2026-03-20T12:15:00.250Z"],
])("field report 39: %s", (text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each([
  ["+9", "Asia/Tokyo", "2026-03-25T20:56:00Z"],
  ["-5, with its summer time", "America/New_York", "2026-03-26T09:56:00Z"],
  ["half an hour", "Asia/Kolkata", "2026-03-26T00:26:00Z"],
  ["three quarters", "Asia/Kathmandu", "2026-03-26T00:11:00Z"],
  ["far east", "Pacific/Chatham", "2026-03-25T16:11:00Z"],
])("field report 41: a date without a zone is one of the agent's own zone: %s", (_, zone, expected) => {
  expect(read("try again at Mar 26, 2026 5:55 AM", NOW, zone)).toBe(expected);
});

test.each([
  "the model gave up",
  "retry 3 of 10",
  "resets",
  "resets 3pm (Foo/Bar)",
  "resets 25:00",
  "resets 13pm",
  "resets Feb 30 at 5pm",
  "resets Oct 12 at 5pm (America/New_York)",
  "try again at Mar 19, 2026 5:55 AM",
  "usage limit reached|1742479200",
  "retry in 9999999 weeks",
  `${"x".repeat(5_000)}resets 3pm${"x".repeat(5_000)}`,
])("what tells no time of the next weeks is none: %s", (text) => {
  expect(read(text)).toBeNull();
});

test("of several times the last counts", () => {
  expect(read("retry in 1s: limit reached, resets 2:40pm (Europe/Berlin)")).toBe("2026-03-20T13:41:00Z");
});

test("a date of the turn of the year is of the next one", () => {
  expect(read("resets Jan 2 at 5pm", Date.UTC(2026, 11, 30))).toBe("2027-01-02T17:01:00Z");
});

describe("where the clocks change", () => {
  test("a time that is shown twice is the later one", () => {
    const before = Date.UTC(2026, 9, 24, 22);
    expect(read("resets 2:30am (Europe/Berlin)", before)).toBe("2026-10-25T01:31:00Z");
  });

  test("a time that is left out is the later one that could be meant", () => {
    const before = Date.UTC(2026, 2, 28, 22);
    expect(read("resets 2:30am (Europe/Berlin)", before)).toBe("2026-03-29T01:31:00Z");
  });

  test("a change by half an hour is known", () => {
    const before = Date.UTC(2026, 3, 4, 10);
    expect(read("resets 1:45am (Australia/Lord_Howe)", before)).toBe("2026-04-04T15:16:00Z");
  });
});

const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Asia/Kathmandu", "Asia/Kolkata"],
  ...["Pacific/Chatham", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe", "Africa/Casablanca"],
  ...["America/Sao_Paulo", "Asia/Tehran", "Pacific/Apia"],
];

/** Hours about the changes of 2026 and 2027, and any other. */
const moments = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2029, 0) }),
  fc
    .tuple(
      fc.constantFrom(
        "2026-03-29T01",
        "2026-10-25T01",
        "2026-03-08T07",
        "2026-11-01T06",
        "2026-04-04T14",
        "2026-10-03T16",
      ),
      fc.integer({ min: -4 * 3_600_000, max: 4 * 3_600_000 }),
    )
    .map(([hour, by]) => Date.parse(`${hour}:00:00Z`) + by),
);

const AHEAD_MS = 20 * 3_600_000;

test("never early, whatever the zone and the day: a time that was told to the minute is over within its minute", () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: 60_000, max: AHEAD_MS }), fc.constantFrom(...ZONES), (now, ahead, zone) => {
      const reset = now + ahead;
      const options = { timeZone: zone, hour: "numeric", minute: "2-digit" } as const;
      const clock = new Intl.DateTimeFormat("en-US", options).format(reset);
      const named = resetTime(`resets ${clock} (${zone})`, now, "UTC")!;
      expect(named).toBeGreaterThanOrEqual(reset);
      expect(resetTime(`resets at ${clock}`, now, zone)).toBe(named);
      // A clock that is set back shows some times twice; but for that it is right to the minute.
      expect(named - reset).toBeLessThanOrEqual(3_660_000);
    }),
    { numRuns: 500 },
  );
});

test("never early with a date, and right to the minute but where a clock shows a time twice", () => {
  const ahead = fc.integer({ min: 60_000, max: 30 * 24 * 3_600_000 });
  fc.assert(
    fc.property(moments, ahead, fc.constantFrom(...ZONES), (now, ms, zone) => {
      const reset = now + ms;
      const options = { timeZone: zone, month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;
      const date = new Intl.DateTimeFormat("en-US", options).format(reset).replace(",", " at");
      const read = resetTime(`resets ${date} (${zone})`, now, "UTC")!;
      expect(read).toBeGreaterThanOrEqual(reset);
      expect(read - reset).toBeLessThanOrEqual(3_660_000);
    }),
    { numRuns: 500 },
  );
});

test("no words make it throw, or name a time that has passed", () => {
  const words = fc.array(
    fc.oneof(
      fc.constantFrom(
        "resets",
        "try again",
        "at",
        "in",
        "3pm",
        "24:00",
        "1h",
        "Feb 30",
        "2026-13-40T99:99",
        "(X/Y)",
        "UTC+99",
        "|9999999999",
      ),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(words, moments, fc.constantFrom(...ZONES, "Nowhere/At_All"), (parts, now, zone) => {
      const at = resetTime(parts.join(" "), now, zone);
      if (at !== null) expect(at).toBeGreaterThan(now);
    }),
    { numRuns: 500 },
  );
});
