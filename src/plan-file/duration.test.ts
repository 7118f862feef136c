import fc from "fast-check";
import { expect, test } from "vitest";
import { DURATION_MS_MAX, formatDuration, parseDuration } from "./duration.ts";

test.each([
  ["90s", 90_000],
  ["10m", 600_000],
  ["1h", 3_600_000],
  ["500ms", 500],
  ["1h30m", 5_400_000],
  ["1m500ms", 60_500],
  ["0s", 0],
  ["576h", DURATION_MS_MAX],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "10", "m", "1.5h", "-1s", "1 h", "30m1h", "1h1h", "1d", "1H", "577h", "999999999999s", "1s\n", "10m x"])(
  "%j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);

test("a written duration is read back as the same time", () => {
  expect(formatDuration(5_400_000)).toBe("1h30m");
  expect(formatDuration(0)).toBe("0s");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: DURATION_MS_MAX }), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});
