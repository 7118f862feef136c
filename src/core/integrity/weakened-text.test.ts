import { expect, test } from "vitest";
import { findingOf } from "./integrity-change.ts";
import { weakenedText } from "./weakened-text.ts";

const found = (line: number) =>
  findingOf({ rule: "test_skipped", path: "a\u001b.test.ts", line, evidence: `it.skip("\u0007${line}")` });

test("what was found is told by file, line and rule, and in the words of the file", () => {
  expect(weakenedText([found(3)])).toBe(
    [
      "the change weakens what checks it: a .test.ts:3 (test_skipped)",
      '- a .test.ts:3 (test_skipped): A test no longer runs, though its report stays green. `it.skip(" 3")`',
      "Put back what was weakened. Where a test or a limit is wrong itself, say so in the summary.",
    ].join("\n"),
  );
});

test("no more than a person reads is named, and the rest is counted", () => {
  const lines = weakenedText(Array.from({ length: 20 }, (_, index) => found(index))).split("\n");
  expect(lines).toHaveLength(15);
  expect(lines[0]).toMatch(/ and 19 more$/);
  expect(lines.at(-2)).toBe("- 8 more");
});
