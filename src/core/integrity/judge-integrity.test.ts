import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChangedFile, IntegrityChange } from "./integrity-change.ts";
import { judgeIntegrity } from "./judge-integrity.ts";

/** What one change of the longest text may take here; the bound only tells a walk over the text from one over its square. */
const LONGEST_MS = 5000;

const LONG = 256 * 1024;

/** One path for each way in which texts are read. */
const LONG_PATHS = ["a.test.ts", "test_a.py", "a_test.go", "a_spec.rb", "a.bats", "package.json", "src/a.ts", "a.snap"];

const PATHS = [
  "test/a.test.ts",
  "tests/test_a.py",
  "a_test.go",
  "src/lib.rs",
  "src/test/java/ATest.java",
  "spec/a_spec.rb",
  "test/a_test.exs",
  "test/a.bats",
  "ATests.cs",
  "package.json",
  "Makefile",
  ".github/workflows/ci.yml",
  "src/a.ts",
  "app/a.py",
  "a/__snapshots__/a.snap",
  "pyproject.toml",
];

/** Pieces that mean something to the rules, so that random texts reach into them. */
const PIECES = [
  ..."(){}[]\"'`\n\n \t/\\,;:=!<>#@|&$.".split(""),
  "test(",
  'it("a", () => {',
  "expect(",
  ").toBe(",
  "def test_a():\n    ",
  "assert ",
  "func TestA(t *testing.T) {\n",
  "if got != want {",
  "t.Errorf(",
  "#[test]",
  "fn a() {",
  "@Test",
  "void a() {",
  "assertEquals(1, 2",
  "try {",
  "} catch (e) {",
  "except:",
  ".each([",
  "|| true",
  "--cov-fail-under=80",
  "lines: 80",
  '"strict": true',
  "exclude: [",
  "process.exit(0)",
  "return 42",
  "if (n === 42) ",
  "/* ",
  "*/",
  "// ",
  '"""',
];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(""));
const side = fc.option(fc.oneof(text, fc.string({ unit: "binary", maxLength: 200 })), { nil: null });
const file = fc
  .record({ path: fc.constantFrom(...PATHS), before: side, after: side })
  .map(({ path, before, after }) => fileOf(path, before, after));
const change: fc.Arbitrary<IntegrityChange> = fc.record({
  files: fc.array(file, { maxLength: 4 }),
  checks: fc.array(fc.constantFrom("npm test", "make check", "./scripts/a.sh"), { maxLength: 2 }),
  protect: fc.array(fc.constantFrom("test/**", "Makefile"), { maxLength: 1 }),
});

describe("judgeIntegrity", () => {
  test("throws on no text, and finds the same in the same change", () => {
    fc.assert(
      fc.property(change, (given) => {
        expect(judgeIntegrity(given)).toEqual(judgeIntegrity(given));
      }),
      { numRuns: 400 },
    );
  });

  test("finds nothing where nothing changed", () => {
    fc.assert(
      fc.property(fc.constantFrom(...PATHS.filter((path) => !path.includes("__snap"))), text, (path, same) => {
        expect(judgeIntegrity({ files: [fileOf(path, same, same)], checks: [], protect: [] })).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("gives each finding with its line and the reason for a person", () => {
    const before = 'test("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n';
    const after = 'test("adds", () => {\n  expect(add(1, 2)).toBeDefined();\n});\n';
    expect(judgeIntegrity({ files: [fileOf("test/a.test.ts", before, after)], checks: [], protect: [] })).toEqual([
      {
        rule: "assertion_weakened",
        path: "test/a.test.ts",
        line: 2,
        evidence: "expect(add(1,2)).toBe(3) -> expect(add(1,2)).toBeDefined()",
        why: "An assertion was replaced by one that more results satisfy.",
      },
    ]);
  });

  test("says no more than a person reads", () => {
    const tests = (it: string): string =>
      Array.from(
        { length: 1000 },
        (_, index) => `${it}("a ${index}", () => { expect(a(${index})).toBe(${index}); });`,
      ).join("\n");
    const files = [fileOf("a.test.ts", tests("it"), tests("it.skip"))];
    expect(judgeIntegrity({ files, checks: [], protect: [] })).toHaveLength(200);
  });

  test.each(["(", "expect(", "def test_a(\n", "`${", "/", " ", "\n", '"', "lines: 80 ", "} catch (e) {", "a.b = 1, "])(
    "takes a long text of %j in its stride",
    (piece) => {
      const long = piece.repeat(Math.ceil(LONG / piece.length)).slice(0, LONG);
      const slow: string[] = [];
      for (const path of LONG_PATHS) {
        const begun = performance.now();
        judgeIntegrity({ files: [fileOf(path, "a\n", long)], checks: [], protect: [] });
        const taken = performance.now() - begun;
        if (taken > LONGEST_MS) slow.push(`${path}: ${Math.round(taken)} ms`);
      }
      expect(slow).toEqual([]);
    },
    120_000,
  );
});

function fileOf(path: string, before: string | null, after: string | null): ChangedFile {
  const kind = before === null ? "added" : after === null ? "deleted" : "modified";
  return { path, old_path: null, kind, before, after, mode_before: "100644", mode_after: "100644" };
}
