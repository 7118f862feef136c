import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slugOf, slugsOf } from "./slug.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const hash = (text: string) => digest(text).slice(0, 12);
const free = () => false;

describe("slugOf", () => {
  it.each(["F-1", "0", "a_b-", "x".repeat(48)])("keeps %j, which is a slug", (id) => {
    expect(slugOf(id, digest, free)).toBe(id);
  });

  it.each([
    ["a b", "a-b"],
    ["../../etc/passwd", "etc-passwd"],
    ["-rf", "rf"],
    ["_x", "x"],
    ["Crème brûlée", "Creme-brulee"],
    ["fix: 漢字 now", "fix-now"],
    ["x".repeat(49), "x".repeat(48)],
    [`${"x".repeat(47)} y`, "x".repeat(47)],
    ["F-1.lock", "F-1-lock"],
    ["漢字", "task"],
    ["🛒", "task"],
    ["..", "task"],
    [" ", "task"],
    ["", "task"],
  ])("makes a slug with a hash of %j", (id, stem) => {
    expect(slugOf(id, digest, free)).toBe(`${stem}-${hash(id)}`);
  });

  it("adds a hash when the slug is taken", () => {
    expect(slugOf("F-1", digest, (slug) => slug === "F-1")).toBe(`F-1-${hash("F-1")}`);
  });

  it("takes the next hash when the first is taken", () => {
    expect(slugOf("a b", digest, (slug) => slug === `a-b-${hash("a b")}`)).toBe(`a-b-${hash("a b\n1")}`);
  });
});

describe("slugsOf", () => {
  it("tells ids apart that differ in case only", () => {
    expect(slugsOf(["cart", "Cart", "CART"], digest)).toEqual(["cart", `Cart-${hash("Cart")}`, `CART-${hash("CART")}`]);
  });

  it("keeps the slugs that tasks have already", () => {
    const known = new Map([
      ["CART", "CART"],
      ["gone", "b"],
    ]);
    expect(slugsOf(["cart", "CART", "b"], digest, known)).toEqual([`cart-${hash("cart")}`, "CART", `b-${hash("b")}`]);
  });

  it("gives every id a slug of its own, whatever the ids", () => {
    const anyId = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: fc.constantFrom("a", "A", "b", "-", " ", "/"), maxLength: 3 }),
      fc.constantFrom(`a-b-${hash("a b")}`, "a b", "A b"),
    );
    fc.assert(
      fc.property(fc.uniqueArray(anyId, { maxLength: 40 }), (ids) => {
        const slugs = slugsOf(ids, digest);
        for (const slug of slugs) expect(slug).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,47}(-[0-9a-f]{12})?$/);
        expect(new Set(slugs.map((slug) => slug.toLowerCase())).size).toBe(ids.length);
        expect(slugsOf(ids, digest)).toEqual(slugs);
      }),
      { numRuns: 500 },
    );
  });
});
