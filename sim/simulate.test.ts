import { describe, expect, test } from "vitest";
import { simulate } from "./simulate.ts";

describe("one seed", () => {
  test("ends well, with at least 40 tasks and 5 faults, and goes the same way twice", async () => {
    const lines: string[] = [];
    const first = await simulate(7, 1, (line) => lines.push(line));
    const again = await simulate(7, 2);
    expect(first.violation).toBeNull();
    expect(first.tasks).toBeGreaterThanOrEqual(40);
    expect(first.faults.length).toBeGreaterThanOrEqual(5);
    expect(lines).toHaveLength(first.lines);
    expect([again.hash, again.lines]).toEqual([first.hash, first.lines]);
  });

  test("is another story than the next", async () => {
    const [one, other] = [await simulate(7, 3), await simulate(8, 4)];
    expect(other.hash).not.toBe(one.hash);
    expect(other.faults).not.toEqual(one.faults);
  });
});
