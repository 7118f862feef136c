import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPath } from "./finding.ts";
import { locatedProblems, PROBLEMS_MAX, parseSource, syntaxProblems } from "./parse-source.ts";
import type { SourceFormat } from "./source-text.ts";

const parse = (format: SourceFormat, text: string) => parseSource({ format, text, hash: "" });

async function problemsOf(format: SourceFormat, text: string): Promise<string[]> {
  const parsed = await parse(format, text);
  return parsed.ok ? [] : parsed.problems.map((p) => `${p.line}:${p.col} ${formatPath(p.path)} ${p.message}`);
}

test.each([
  ['{"a": [1, 2,]}', "1:13  a value is expected here (JSON allows no trailing comma)"],
  ['{"a": 1,\n}', "2:1  a key in double quotes is expected here (JSON allows no trailing comma)"],
  ['{\n // why\n"a": 1}', "2:2  comments are not allowed in JSON"],
  ["hello", "1:1  this is not JSON: text must stand in double quotes"],
  ['{"a" 1}', "1:6  a colon is expected here"],
  ['{"a": "x', "1:7  this string is not closed"],
  ['{"a": "\t"}', "1:7  a control character in a string must be written as an escape"],
  ['{"a": 1.}', "1:7  this number is not complete"],
  ['{"a": 01}', "1:8  a comma is expected here"],
  ['{"a": "\\x"}', "1:7  this escape does not exist in JSON"],
  [" \r\n ", "1:1  the file is empty"],
  ["[".repeat(1_000_000), "1:65  nested more than 64 levels deep"],
  ['{"a": ["x", "b\\u0000"]}', '1:13 a[1] "b\\u0000" holds a NUL character'],
  ['{"a": "\\ud800"}', '1:7 a "\\ud800" holds half of a surrogate pair, which is not a character'],
  ['{"a": {"__proto__": 1}}', '1:8 a.__proto__ "__proto__" cannot be a key'],
])("wrong JSON is one problem: %.30j", async (text, problem) => {
  expect(await problemsOf("json", text)).toEqual([problem]);
});

test.each([
  ["a: 1\n---\nb: 2\n", "2:1  a second YAML document begins here: write one document per file"],
  ["tasks:\n\t- id: a\n", "2:1  a tab stands in the indentation: YAML wants spaces"],
  ["tasks:\n  - id: a\n\ttitle: b\n", "3:1  a tab stands in the indentation: YAML wants spaces"],
  ["a: !mine 1\n", "1:4  this is not YAML: Unresolved tag: !mine"],
  ["%YAML 1.1\n---\na: yes\n", "1:1  YAML 1.2 is read here, not 1.1: remove the %YAML line"],
  [
    "a: [1, 2\nb: 1\n",
    "2:1  this is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
  ],
  ["# nothing\n", "1:1  the file is empty"],
  ["~\n", "1:1  the file is empty"],
  ["a: *b\n", '1:4 a the alias "*b" names no anchor that stands before it'],
  ["a: &a [*a]\n", '1:8 a[0] the alias "*a" holds itself'],
  ["- ".repeat(100_000), "1:1949  nested more than 64 levels deep"],
  ['a: "x\\0y"\n', '1:4 a "x\\u0000y" holds a NUL character'],
  ["__proto__: {a: 1}\n", '1:1 __proto__ "__proto__" cannot be a key'],
])("wrong YAML is one problem: %.30j", async (text, problem) => {
  const found = await problemsOf("yaml", text);
  // How deep the parser's own recursion gets depends on the stack.
  expect(found.map((line) => line.replace(/^1:\d+ {2}nested/, "1:1949  nested"))).toEqual([problem]);
});

test("duplicate keys are all named, with the line of the first, in both formats", async () => {
  expect(await problemsOf("json", '{"a": 1,\n "b": {"c": 1, "c": 2},\n "\\u0061": 2, "b": 3}')).toEqual([
    '2:16 b.c duplicate key "c": it stands already on line 2',
    '3:2 a duplicate key "a": it stands already on line 1',
    '3:15 b duplicate key "b": it stands already on line 2',
  ]);
  expect(await problemsOf("yaml", "a: 1\nb: {c: 1, c: 2}\n'a': 3\n")).toEqual([
    '2:11 b.c duplicate key "c": it stands already on line 2',
    '3:1 a duplicate key "a": it stands already on line 1',
  ]);
});

test("keys and values that look like JSON do not disturb the search for duplicates", async () => {
  const value = { 'a":': ":", "{": ['"', '\\"":"'], "": { "": {} } };
  expect(await parse("json", JSON.stringify(value, null, 1))).toMatchObject({ ok: true, document: { value } });
});

test("aliases are followed, but not when they multiply", async () => {
  const shared = await parse("yaml", "x: &x [1, 2]\ny: *x\nz: {k: &k key, v: *k}\n");
  expect(shared).toMatchObject({ ok: true, document: { value: { x: [1, 2], y: [1, 2], z: { k: "key", v: "key" } } } });
  const rows = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
  for (let row = 1; row < 30; row++)
    rows.push(
      `a${row}: &a${row} [${Array(10)
        .fill(`*a${row - 1}`)
        .join(",")}]`,
    );
  expect(await problemsOf("yaml", rows.join("\n"))).toEqual([
    "1:1  the aliases of this file expand to too many values",
  ]);
});

test("merge keys are ordinary keys, and words of YAML 1.1 are text", async () => {
  const parsed = await parse("yaml", "a: &a {b: 1}\nc: {<<: *a, d: yes, e: on, f: 0o17, g: 2024-01-01}\n");
  const c = { "<<": { b: 1 }, d: "yes", e: "on", f: 15, g: "2024-01-01" };
  expect(parsed).toMatchObject({ ok: true, document: { value: { a: { b: 1 }, c } } });
});

test("a finding stands at its value, at its key, or at the nearest thing that is there", async () => {
  const findings = [
    { path: ["tasks", 1, "verify"], message: "value" },
    { path: ["tasks", 1, "verify"], atKey: true, message: "key" },
    { path: ["tasks", 1, "absent", 3], message: "absent" },
    { path: ["tasks", 0, "x"], message: "through an alias" },
    { path: [], message: "root" },
  ];
  const placesIn = async (format: SourceFormat, text: string) => {
    const parsed = await parse(format, text);
    if (!parsed.ok) throw new Error("the text is right");
    return parsed.document.locate(findings).map(({ line, col }) => `${line}:${col}`);
  };
  const yaml = "a: &t\n  x: 1\ntasks:\r\n  - *t\r\n  - id: ü🚀\r\n    verify: y\r\n";
  expect(await placesIn("yaml", yaml)).toEqual(["6:13", "6:5", "5:5", "2:6", "1:1"]);
  const json = '{"tasks": [\r\n  {"x": 1},\r\n  {"id": "ü🚀",\r\n   "verify": "y"}]}';
  expect(await placesIn("json", json)).toEqual(["4:14", "4:4", "3:3", "2:9", "1:1"]);
});

test("problems come in the order of the file, and are bounded", async () => {
  const parsed = await parse("json", JSON.stringify(Array(2000).fill(0), null, 1));
  if (!parsed.ok) throw new Error("the text is right");
  const findings = Array.from({ length: 1500 }, (_, index) => ({ path: [1499 - index], message: "no" }));
  const problems = locatedProblems("f.json", parsed.document, findings);
  expect(problems).toHaveLength(PROBLEMS_MAX + 1);
  expect(problems[0]).toEqual({ file: "f.json", line: 502, col: 2, path: "[500]", message: "no" });
  expect(problems.at(-1)).toEqual({ file: "f.json", path: "", message: "and 500 more problems that are not listed" });
  const syntax = findings.map((finding) => ({ ...finding, line: 1, col: 1 }));
  expect(syntaxProblems("f.json", syntax).at(-1)?.message).toBe("and 500 more problems that are not listed");
});

test("JSON is read exactly as JSON.parse reads it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ depthSize: "large" }), async (text) => {
      const parsed = await parse("json", text);
      const value: unknown = JSON.parse(text);
      if (parsed.ok) expect(parsed.document.value).toStrictEqual(value);
      else expect(parsed.problems[0]?.message).toMatch(/cannot be a key|surrogate|the file is empty/);
    }),
  );
});

test("any text is read or refused with a place", async () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"',
    "\\",
    "\n",
    "  ",
    "\t",
    "- ",
    "a",
    "&a ",
    "*a ",
    "|",
    "#",
    "---\n",
    "?",
    "!x ",
    "1",
    "null",
    "'",
    "%",
    "\u0000",
    "é",
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces, { maxLength: 60 }).map((some) => some.join("")),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom<SourceFormat>("json", "yaml"), texts, async (format, text) => {
      const parsed = await parse(format, text);
      if (parsed.ok) return;
      expect(parsed.problems.length).toBeGreaterThan(0);
      for (const { line, col, message } of parsed.problems) {
        expect(line).toBeGreaterThan(0);
        expect(col).toBeGreaterThan(0);
        expect(message).not.toBe("");
      }
    }),
    { numRuns: 2000 },
  );
});
