import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesText, mayMatchText } from "./text-glob.ts";
import { UNKNOWN_TEXT } from "./tool-rules.ts";

const marked = (text: string): string => text.replaceAll("$", UNKNOWN_TEXT);

test.each([
  ["rm -rf *", "rm $ /", true],
  ["rm -rf *", "rm $", true],
  ["rm -rf", "rm -rf $", true],
  ["rm -rf *", "rm -f $", false],
  ["git push *--force*", "git $ main", true],
  ["git push *", "npm $", false],
  ["echo ab", "echo $b", true],
  ["echo ab", "echo $c", false],
  ["*", "$", true],
])("the glob %s may match %s: %s", (glob, text, may) => {
  expect(mayMatchText(glob, marked(text))).toBe(may);
});

test("only a star is sure to match what is not known", () => {
  expect(matchesText("ls *", marked("ls $"))).toBe(true);
  expect(matchesText("ls ?", marked("ls $"))).toBe(false);
});

test("a glob that matches a text may match it with any part unknown, words and their spaces too", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "b", " ", "*", "?"), maxLength: 8 });
  fc.assert(
    fc.property(piece, piece, piece, piece, (glob, before, hidden, after) => {
      if (!matchesText(glob, before + hidden + after)) return;
      expect(mayMatchText(glob, before + UNKNOWN_TEXT + after)).toBe(true);
      if (hidden === "") expect(mayMatchText(glob, `${before} ${UNKNOWN_TEXT}${after}`)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("what would take long to say may match", () => {
  expect(mayMatchText("*b".repeat(400), `${UNKNOWN_TEXT}a`.repeat(2_000))).toBe(true);
});
