import { expect, test } from "vitest";
import { systemClock } from "./system-clock.ts";

test("a sleep is never shorter than asked", async () => {
  const from = systemClock.monotonic();
  await systemClock.sleep(15);
  expect(systemClock.monotonic() - from).toBeGreaterThanOrEqual(15);
});

test("a sleep ends at once when its signal aborts, before or during it", async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort();
  await sleeping;
  await systemClock.sleep(60_000, controller.signal);
});

test("the wall clock is in milliseconds since 1970", () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
});
