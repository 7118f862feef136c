import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { globProblem } from "./glob.ts";
import { globsMayOverlap, matchesGlob, ownersMayOverlap } from "./overlap.ts";

describe("globsMayOverlap", () => {
  it.each([
    ["src/cart/**", "src/cart/total.ts"],
    ["src/**/*.ts", "src/cart/**"],
    ["src/cart", "src/cart/total.ts"],
    ["src/cart/", "src/cart/deep/total.ts"],
    ["./src//cart", "/src/cart"],
    [".", "anything/at/all"],
    ["src/Cart.ts", "SRC/cart.ts"],
    ["[!a]", "a"],
    ["é", "e\u0301"],
    ["?", "😀"],
    ["[a-f]*", "*[x-z]"],
    ["{src,lib}/*.ts", "{test,lib}/a.ts"],
    ["a/{b,{c,d}/**}", "a/d/e"],
    ["app/[id]/page.tsx", "app/[id]"],
    ["app/[[...slug]]/page.tsx", "app/[[...slug]]/*"],
    ["app/(shop)/cart", "app/*/cart"],
    ["**/a", "a"],
    ["a/**", "a"],
    ["a/**/b", "a/b"],
    ["a/*/c", "a/c"],
    ["\\[x\\]", "[x]/y"],
    ["a**b", "axb"],
    ["[\u0000-\uffff]x", "[\u0400-\u4fff]x"],
  ])("is true of %j and %j", (a, b) => {
    expect([globsMayOverlap(a, b), globsMayOverlap(b, a)]).toEqual([true, true]);
  });

  it.each([
    ["src/cart/**", "src/shop/**"],
    ["src/cart", "src/cartoon"],
    ["src/*.ts", "src/deep/a.ts"],
    ["src/*.ts", "src/*.js"],
    ["[a-c]x", "[d-f]x"],
    ["[.-0]x", "[!.0]x"],
    ["{a,b}/c", "{d,e}/c"],
    ["a/?", "a/bc"],
    ["a*b*c", "a*d"],
    ["**/a.ts", "src/**/b.ts"],
    ["\\*", "a"],
    ["a/*/c", "?/c*"],
  ])("is false of %j and %j", (a, b) => {
    expect([globsMayOverlap(a, b), globsMayOverlap(b, a)]).toEqual([false, false]);
  });

  it.each(["{a,b}".repeat(9), "../a", "!a", "{a", "a}", "{a}", "{1..3}", "@(a|b)", "src\\cart", "", "a".repeat(1001)])(
    "is true of all globs and %j, which is not understood",
    (glob) => {
      expect([globsMayOverlap(glob, "zzz"), matchesGlob(glob, "zzz")]).toEqual([true, true]);
    },
  );

  it("gives up with yes on globs that would take long, soon", () => {
    const slow = (end: string) => `${"{a*,b*}".repeat(8)}${"*a".repeat(400)}${end}`;
    expect(globsMayOverlap(slow("x"), slow("y"))).toBe(true);
  }, 10_000);

  it("answers 20,000 questions about a few globs within five seconds", () => {
    const owners = Array.from({ length: 200 }, (_, index) => [
      `src/part-${index}/**/*.ts`,
      `test/part-${index}.test.ts`,
    ]);
    let overlaps = 0;
    for (const one of owners) for (const other of owners.slice(0, 100)) if (ownersMayOverlap(one, other)) overlaps += 1;
    expect(overlaps).toBe(100);
  }, 5_000);
});

describe("ownersMayOverlap", () => {
  it("is true when any glob of one overlaps with any of the other", () => {
    expect(ownersMayOverlap(["a/**", "b/**"], ["c/**", "b/x"])).toBe(true);
    expect(ownersMayOverlap(["a/**", "b/**"], ["c/**", "d"])).toBe(false);
  });

  it("is false of an owner of nothing", () => {
    expect(ownersMayOverlap([], ["**"])).toBe(false);
  });
});

describe("matchesGlob", () => {
  it.each([
    ["src/**", "src/a/b.ts", true],
    ["src/**", "lib/a", false],
    ["src/cart", "src/cart/total.ts", true],
    ["src/cart", "src/cartoon", false],
    ["*.MD", "readme.md", true],
    ["[!a]", "A", false],
    ["[!a]", "b", true],
    ["app/[id]/*", "app/[id]/page.tsx", true],
    ["app/[id]/*", "app/d/page.tsx", true],
    ["app/[id]/*", "app/x/page.tsx", false],
    ["*", ".hidden", true],
    ["?", "😀", true],
    ["[z-a]", "m", true],
    ["[]]x", "]x", true],
  ])("of %j and %j is %j", (glob, path, expected) => {
    expect(matchesGlob(glob, path)).toBe(expected);
  });
});

describe("globProblem", () => {
  it.each([
    ["src/**/*.{ts,tsx}", null],
    ["app/[[...slug]]/(shop)/@modal/+page.svelte", null],
    ["", "it is empty; write . for the whole repository"],
    ["a".repeat(1001), "it is longer than 1000 characters"],
    ["a/".repeat(65), "it is more than 64 directories deep"],
    ["!src", "it begins with !, but globs here only add; write \\! for the character"],
    ["./!src", "it begins with !, but globs here only add; write \\! for the character"],
    ["a[b/c]", "a class in it holds a slash; close it before the slash, or write \\[ for the character"],
    ["a/../b", 'it leaves its directory with ".."; write it from the root of the repository'],
    ["@(a|b)", "it has a group such as @(a|b), which is not supported; write {a,b}"],
    ["[[:alpha:]]", "it has a named class such as [[:alpha:]], which is not supported; write [a-z]"],
    ["src\\cart", "it has a backslash; write / between directories"],
    ["src/{a,b", "it opens a brace that is never closed; write \\{ for the character"],
    ["src/a}", "it closes a brace that is not open; write \\} for the character"],
    ["src/{a}", "its braces hold no comma; write them as {a,b}"],
    ["{a,b}[,]", "a class in it holds a brace, a comma or a backslash, which is not supported"],
    ["{a,b}".repeat(9), "its braces make more than 256 alternatives"],
    [`{${"a,".repeat(300)}}`, "its braces make more than 256 alternatives"],
  ])("of %j is %j", (glob, problem) => {
    expect(globProblem(glob)).toBe(problem);
  });
});

/** The judge of version 4.0.7 never ends on some texts with two backslashes, for example `}.-,\\\\`. */
const HANGS = /\\\\/;

/** Globs over few letters, so that two of them often meet, and short enough for all paths to be listed. */
function anyGlob(characters: string[], withBraces: boolean) {
  const character = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...characters) }, fc.constantFrom("*", "?"));
  const name = fc.array(character, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(""));
  const segment = fc.oneof({ weight: 5, arbitrary: name }, fc.constant("**"));
  const plain = fc.array(segment, { minLength: 1, maxLength: 2 }).map((parts) => parts.join("/"));
  const slashed = fc.tuple(fc.constantFrom("", "", "", "./", "/"), plain, fc.constantFrom("", "", "", "/"));
  const simple = slashed
    .map((parts) => parts.join(""))
    .filter((glob) => !glob.includes("***") && !/[^/]\*\*|\*\*[^/]/.test(glob));
  if (!withBraces) return simple;
  return fc.oneof(
    simple,
    fc
      .tuple(plain, simple)
      .filter(([a]) => !a.includes("**"))
      .map(([a, b]) => `{${a},${b.replace(/^[./]+/, "") || "a"}}`),
  );
}

/** All paths of up to three names, each of up to `length` letters. */
function allPaths(letters: string[], length: number, depth: number): string[] {
  const names = [...letters];
  for (let from = 0, round = 1; round < length; round++) {
    const end = names.length;
    for (const name of names.slice(from, end)) for (const letter of letters) names.push(name + letter);
    from = end;
  }
  const paths = [...names];
  for (let from = 0, round = 1; round < depth; round++) {
    const end = paths.length;
    for (const path of paths.slice(from, end)) for (const name of names) paths.push(`${path}/${name}`);
    from = end;
  }
  return paths;
}

/**
 * The judge knows neither `[!a]`, nor plain directories, nor a slash at the end, and takes `a/**` as `a`, too, but
 * not always: they are written out for it.
 */
function judgeOf(glob: string, nocase: boolean): (path: string) => boolean {
  const patterns = alternativesOf(glob.replace(/^\.?\//, "").replaceAll("[!", "[^")).flatMap((alternative) => {
    const bare = alternative.replace(/\/$/, "");
    const parent = bare.endsWith("/**") ? [bare.slice(0, -3)] : [];
    return bare !== alternative || !/[*?[]/.test(bare) ? [bare, ...parent, `${bare}/**`] : [bare, ...parent];
  });
  return picomatch(patterns, { dot: true, nocase, strictSlashes: false });
}

function alternativesOf(glob: string): string[] {
  const [, first, second] = /^\{(.*),(.*)\}$/.exec(glob) ?? [];
  return first === undefined || second === undefined ? [glob] : [first, second];
}

describe("any two globs", () => {
  it("overlap exactly when some path matches both", () => {
    const paths = allPaths(["a", "b"], 4, 3);
    const glob = anyGlob(["a", "b"], true);
    const seen = { yes: 0, no: 0 };
    fc.assert(
      fc.property(glob, glob, (a, b) => {
        const [matchesA, matchesB] = [judgeOf(a, true), judgeOf(b, true)];
        const expected = paths.some((path) => matchesA(path) && matchesB(path));
        seen[expected ? "yes" : "no"] += 1;
        expect(globsMayOverlap(a, b)).toBe(expected);
      }),
      { numRuns: 400 },
    );
    expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(50);
  });

  it("overlap exactly when paths that differ at most in case match them, classes included", () => {
    const letters = ["a", "A", "b", "[", "]", "-"];
    const paths = allPaths(letters, 4, 1).concat(allPaths(["a", "A", "b"], 2, 3));
    const glob = anyGlob(["a", "A", "b", "[ab]", "[!a]", "[^A-B]", "[a-b]"], false).filter(
      (text) => text.replace(/\[.*?\]/g, "?").length < 5,
    );
    fc.assert(
      fc.property(glob, glob, (a, b) => {
        const [matchesA, matchesB] = [judgeOf(a, false), judgeOf(b, false)];
        const foldedA = new Set(paths.filter((path) => matchesA(path)).map((path) => path.toLowerCase()));
        const expected = paths.some((path) => foldedA.has(path.toLowerCase()) && matchesB(path));
        if (expected) expect(globsMayOverlap(a, b)).toBe(true);
        // A class also stands for its own text, which the listed paths do not have.
        else if (globsMayOverlap(a, b)) expect(`${a} ${b}`).toContain("[");
      }),
      { numRuns: 300 },
    );
  });

  it("overlap whenever one path matches both, whatever the globs", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "A", "*", "**", "?", "/", "{", "}", ",", "[", "]", "!", "-", ".", "\\"),
      maxLength: 8,
    });
    const paths = allPaths(["a", "b", "A", "-", "."], 3, 1).concat(allPaths(["a", "b"], 2, 3));
    fc.assert(
      fc.property(text, text, (a, b) => {
        fc.pre(a !== "" && b !== "" && !HANGS.test(a) && !HANGS.test(b));
        const [matchesA, matchesB] = [a, b].map((glob) => picomatch(glob.replaceAll("[!", "[^"), { dot: true }));
        const witness = paths.find((path) => matchesA!(path) && matchesB!(path));
        if (witness !== undefined) expect([globsMayOverlap(a, b), witness]).toEqual([true, witness]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("any glob", () => {
  it("matches the paths that picomatch says", () => {
    const paths = allPaths(["a", "B", "."], 2, 3).filter((path) => !path.split("/").some((name) => /^\.+$/.test(name)));
    const glob = anyGlob(["a", "B", ".", "[aB]", "[!a]", "[a-c]"], true);
    fc.assert(
      fc.property(glob, (text) => {
        fc.pre(!/(^|[/{,])\.+([/},]|$)/.test(text));
        const matches = judgeOf(text, true);
        expect(paths.filter((path) => matchesGlob(text, path))).toEqual(paths.filter((path) => matches(path)));
      }),
      { numRuns: 500 },
    );
  });
});
