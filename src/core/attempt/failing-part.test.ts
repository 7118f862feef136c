import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failingPart } from "./failing-part.ts";

const noise = (count: number, word = "ok"): string[] => Array.from({ length: count }, (_, n) => `${word} ${n}`);

describe("the failing part of an output", () => {
  test("is all of a short one, without colours and without what a progress bar wrote over", () => {
    expect(failingPart("\u001b[31mFAIL\u001b[39m a\r\n10%\r50%\r100%\n\n", 100)).toBe("FAIL a\n100%");
  });

  test.each([
    ["vitest", " FAIL  src/a.test.ts > adds", "AssertionError: expected 3 to be 4"],
    ["jest", "  ● adds › numbers", "    expect(received).toBe(expected)"],
    ["node:test", "not ok 12 - adds", "  error: 'Expected values to be strictly equal'"],
    ["pytest", "E   assert 3 == 4", "tests/test_a.py:7: AssertionError"],
    ["go", "--- FAIL: TestAdd (0.00s)", "    add_test.go:9: got 3, want 4"],
    ["cargo", "thread 'adds' panicked at src/lib.rs:9:5:", "assertion `left == right` failed"],
    ["rustc", "error[E0308]: mismatched types", " --> src/lib.rs:3:5"],
    ["tsc", "src/a.ts(3,5): error TS2322: no", "src/b.ts"],
    ["gcc", "main.c:3:5: error: expected ';'", "  int x"],
    ["eslint", "  12:5  error  'total' is not defined  no-undef", "  14:1  warning  no"],
    ["mocha", "  1) adds numbers:", "     Error: expected 3"],
    ["python", "Traceback (most recent call last):", '  File "a.py", line 3'],
    ["java", "java.lang.IllegalStateException: no", "\tat a.B.c(B.java:3)"],
  ])("of %s is found in the middle of a long one, and its end stays", (_, failure, explained) => {
    const output = [...noise(500), failure, explained, ...noise(500, "later"), "1 failed, 999 passed"].join("\n");
    const part = failingPart(output, 2_000);
    expect(part).toContain(`${failure}\n${explained}`);
    expect(part.endsWith("1 failed, 999 passed")).toBe(true);
    expect(part).toContain("\n…\n");
  });

  test("is what failed, not the errors that tests which pass were to see", () => {
    const seen = noise(500, "Error: refused, as it should be:");
    const output = [...seen, "not ok 7 - adds", "  got 3", ...seen, "1 failed"].join("\n");
    expect(failingPart(output, 1_000)).toMatch(/not ok 7 - adds\n {2}got 3\n/);
  });

  test("is the first failures where there are too many", () => {
    const output = noise(1_000, "Error: number")
      .map((line) => line.replace("number", "number:"))
      .join("\n");
    expect(failingPart(output, 1_000)).toMatch(/^Error: number: 0\nError: number: 1\n/);
  });

  test("is the end where nothing looks like a failure", () => {
    expect(failingPart(noise(5_000).join("\n"), 100)).toMatch(/^…\nok 49\d\d\n(?:.|\n)*ok 4999$/);
  });

  test("is never longer than asked, whatever the output", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 50, max: 500 }),
        fc.integer({ min: 1, max: 400 }),
        (text, max, times) => {
          expect(failingPart(`${text}\nError: x\n`.repeat(times), max).length).toBeLessThanOrEqual(max);
        },
      ),
    );
  });
});
