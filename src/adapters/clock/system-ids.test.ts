import { expect, test } from "vitest";
import { systemIds } from "./system-ids.ts";

test("ids are uuids of version 7 that hold the time of their making", () => {
  const id = systemIds(() => 0x0123_4567_89ab).next();
  expect(id).toMatch(/^01234567-89ab-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("ids of one process are unique and sort in the order of their making, also when the clock goes back", () => {
  const times = [5, 5, 5, 9, 3, 3, 9];
  let at = 0;
  const ids = systemIds(() => times[at++ % times.length] ?? 0);
  const made = Array.from({ length: 10_000 }, () => ids.next());
  expect(new Set(made).size).toBe(10_000);
  expect([...made].sort()).toEqual(made);
});
