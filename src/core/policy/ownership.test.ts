import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outsideOf, scopeBreaches } from "./ownership.ts";

describe("what a task changed outside its files", () => {
  test("is every changed path that none of its globs names, in their order", () => {
    const owned = ["src/cart/**", "docs/cart.md", "test/{cart,totals}.test.ts"];
    const changed = ["src/cart/a.ts", "package-lock.json", "docs/cart.md", "test/totals.test.ts", "src/page.ts"];
    expect(outsideOf(owned, changed)).toEqual(["package-lock.json", "src/page.ts"]);
  });

  test("is nothing where the task owns nothing, or all of the repository", () => {
    expect(outsideOf([], ["a", "b/c"])).toEqual([]);
    expect(outsideOf(["."], ["a", "b/c"])).toEqual([]);
    expect(outsideOf(["**"], ["a", "b/c"])).toEqual([]);
  });

  test("does not tell names apart that differ in case only, and a name owns everything beneath it", () => {
    expect(outsideOf(["SRC/Cart"], ["src/cart/deep/a.ts", "src/cart.ts"])).toEqual(["src/cart.ts"]);
  });

  test("is nothing where a glob is not understood: nobody is blamed for what cannot be told", () => {
    expect(outsideOf(["src/{a"], ["b"])).toEqual([]);
  });

  const name = fc.stringMatching(/^[a-z][a-z0-9._-]{0,6}$/);
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

  test("holds no path of an owned directory, and every path beside it", () => {
    fc.assert(
      fc.property(path, fc.array(path, { maxLength: 8 }), (directory, below) => {
        const inside = below.map((each) => `${directory}/${each}`);
        const beside = below.map((each) => `${directory}-beside/${each}`);
        expect(outsideOf([`${directory}/**`], [...inside, ...beside])).toEqual(beside);
        expect(outsideOf([directory], inside)).toEqual([]);
      }),
    );
  });

  test("grows with no glob more, and is made of changed paths alone", () => {
    fc.assert(
      fc.property(fc.array(path, { minLength: 1 }), path, fc.array(path), (owned, more, changed) => {
        const outside = outsideOf(owned, changed);
        const fewer = outsideOf([...owned, more], changed);
        expect(changed.filter((each) => outside.includes(each))).toEqual(outside);
        expect(outside.filter((each) => fewer.includes(each))).toEqual(fewer);
        expect(outsideOf(changed.length > 0 ? changed : ["x"], changed)).toEqual([]);
      }),
    );
  });
});

describe("what a change breaks of a scope", () => {
  const paths = ["web/a", "web/secret/key", "api/b", "a.lock"];

  test("is what no glob allows, and what a glob denies, whatever allows it", () => {
    expect(scopeBreaches({ allowed: ["web/**"], denied: ["web/secret/**", "*.lock"] }, paths)).toEqual({
      outside: ["api/b"],
      forbidden: ["web/secret/key", "a.lock"],
    });
  });

  test("is only what is denied where nothing is said to be allowed", () => {
    expect(scopeBreaches({ allowed: [], denied: ["*.lock"] }, paths)).toEqual({ outside: [], forbidden: ["a.lock"] });
    expect(scopeBreaches({ allowed: [], denied: [] }, paths)).toEqual({ outside: [], forbidden: [] });
  });
});
