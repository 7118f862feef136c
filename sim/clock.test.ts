import { describe, expect, test } from "vitest";
import { VirtualClock } from "./clock.ts";

describe("virtual time", () => {
  test("goes from one due thing to the next, those of one moment in the order in which they were asked for", () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    for (const [ms, name] of [
      [20, "c"],
      [10, "a"],
      [10, "b"],
      [0, "now"],
    ] as const)
      clock.after(ms, () => seen.push(`${name} at ${clock.monotonic()}`));
    while (clock.advance());
    expect(seen).toEqual(["now at 0", "a at 10", "b at 10", "c at 20"]);
  });

  test("leaves out what was called off, and ends a sleep early when its signal aborts", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    clock.after(5, () => expect.unreachable())();
    const slept = clock.sleep(1_000, stop.signal);
    stop.abort();
    await slept;
    expect(clock.advance()).toBe(false);
    expect(clock.monotonic()).toBe(0);
  });

  test("is told apart from the wall clock, which jumps", () => {
    const clock = new VirtualClock();
    const before = clock.now();
    clock.jump(-3_600_000);
    expect([clock.now() - before, clock.monotonic()]).toEqual([-3_600_000, 0]);
  });
});
