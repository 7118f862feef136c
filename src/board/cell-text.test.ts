import fc from "fast-check";
import { expect, test } from "vitest";
import { fitted, harmlessLine, padded, textWidth } from "./cell-text.ts";

test.each([
  ["Cart totals", 11],
  ["", 0],
  ["購物車", 6],
  ["カート", 6],
  ["ｶｰﾄ", 3],
  ["장바구니", 8],
  ["각", 2],
  ["（全）", 6],
  ["née", 3],
  ["ne\u0301e", 3],
  ["🚀", 2],
  ["👩‍👩‍👧", 2],
  ["👍🏽", 2],
  ["🇩🇪", 2],
  ["❤️", 2],
  ["1️⃣", 2],
  ["▶ ✓ … █", 7],
  ["a\u200bb", 2],
  ["सूची", 2],
])("%s takes %i cells", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test("a text that is too long is cut between characters as people see them", () => {
  expect(fitted("Cart totals", 11)).toBe("Cart totals");
  expect(fitted("Cart totals", 6)).toBe("Cart …");
  expect(fitted("購物車", 5)).toBe("購物…");
  expect(fitted("購物車", 4)).toBe("購…");
  expect(fitted("👩‍👩‍👧👍🏽!", 4)).toBe("👩‍👩‍👧…");
  expect(fitted("Cart", 1)).toBe("…");
  expect(fitted("Cart", 0)).toBe("");
});

test("no text takes more than its width, and what fits is left as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 30 }), (text, width) => {
      const cut = fitted(harmlessLine(text), width);
      expect(textWidth(cut)).toBeLessThanOrEqual(width);
      if (textWidth(harmlessLine(text)) <= width) expect(cut).toBe(harmlessLine(text));
      expect(textWidth(padded(cut, width))).toBe(width);
    }),
  );
});

test("foreign text is one line that no terminal obeys", () => {
  expect(harmlessLine("a\r\n\tb\u2028c")).toBe("a b c");
  expect(harmlessLine("\u001b[2Jred\u0007\u009b31m")).toBe("�[2Jred��31m");
  expect(harmlessLine("safe\u202eexe.txt")).toBe("safe�exe.txt");
  expect(harmlessLine("half \ud83d")).toBe("half �");
  expect(harmlessLine("👩‍👩‍👧 購物車")).toBe("👩‍👩‍👧 購物車");
});
