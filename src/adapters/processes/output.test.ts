import fc from "fast-check";
import { expect, test } from "vitest";
import { TAIL_CHARACTERS } from "../../ports/processes.ts";
import { tailOf } from "./output.ts";

test("a tail is at most 4,000 characters of valid text, whatever the bytes and wherever they were cut", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000, size: "max" }), fc.boolean(), (bytes, cut) => {
      const tail = tailOf(bytes, cut);
      expect(tail.length).toBeLessThanOrEqual(TAIL_CHARACTERS);
      expect(new TextDecoder().decode(new TextEncoder().encode(tail))).toBe(tail.replace(/^\ufeff/, ""));
      expect(tail).not.toContain("\0");
    }),
    { numRuns: 50 },
  );
});

test("a character that the cut went through is left out", () => {
  const bytes = new TextEncoder().encode("🙂é!");
  expect(tailOf(bytes.subarray(1), true)).toBe("é!");
  expect(tailOf(bytes.subarray(5), true)).toBe("!");
  expect(tailOf(bytes, false)).toBe("🙂é!");
});

test("bytes that are no UTF-8 become replacement characters", () => {
  expect(tailOf(Uint8Array.from([0x61, 0xff, 0x62, 0x00]), false)).toBe("a\ufffdb\ufffd");
});
