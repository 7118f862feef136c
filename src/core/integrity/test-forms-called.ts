import type { Declared } from "./declared.ts";
import type { Language } from "./languages.ts";
import type { Source } from "./survey.ts";

/** Languages whose tests are calls with a name and a function. */
const CALLING = new Set<Language>([
  "javascript",
  "dart",
  "r",
  "lua",
  "php",
  "kotlin",
  "scala",
  "groovy",
  "swift",
  "cpp",
  "go",
  "clojure",
]);

const CALL =
  /(?<![\w$.@#:>-])(?:(?:Deno|QUnit|t|tt|tap|suite|base|b|s)\.)?(?:[fxp]?(?:it|test|specify|scenario|example)|(?:Run|It|Specify|DescribeTable|Entry|FIt|XIt|PIt)|testWidgets|testGoldens|test_that|TEST_CASE|SCENARIO|propTest|fuzzTest)((?:\.\w{1,30}){0,4})[ \t]{0,4}(?=[(`<])/g;

/** Suites among the calls, which hold tests and are none. */
const SUITE_MODIFIER = /\.(?:describe|beforeEach|afterEach|beforeAll|afterAll|use|setTimeout|step|extend|configure)\b/;

/** Takes a table, or a condition, before the call that declares the test. */
const CURRIED = /\.(?:each|for|cases|skipIf|runIf|failsIf|with)\b/;

/** A name is looked for this far behind the bracket. */
const NAME_WITHIN = 400;

/** `it("…", () => …)`, `test.each(table)("…", …)`, `t.Run("…", func…)`, `test_that("…", {…})`, `test("…") {…}`. */
export function* callForms(source: Source): Generator<Declared> {
  if (!CALLING.has(source.language)) return;
  const { bare, brackets } = source;
  for (const match of bare.matchAll(CALL)) {
    const modifiers = match[1]!;
    if (SUITE_MODIFIER.test(modifiers)) continue;
    let open = skipTypes(bare, match.index + match[0].length);
    if (CURRIED.test(modifiers)) open = behindCurried(source, open);
    const close = bare[open] === "(" ? brackets.get(open) : undefined;
    if (close === undefined) continue;
    const name = nameAt(source, open, close);
    const to = trailingBlock(source, close);
    if (name === null || (to === close + 1 && !holdsFunction(source, open, close))) continue;
    yield { name: name.text, from: match.index, bodyFrom: name.end, to };
  }
}

function skipTypes(bare: string, at: number): number {
  if (bare[at] !== "<") return at;
  const close = bare.slice(at, at + 200).indexOf(">(");
  return close < 0 ? at : at + close + 1;
}

function behindCurried({ bare, brackets }: Source, open: number): number {
  const close = bare[open] === "`" ? bare.indexOf("`", open + 1) : (brackets.get(open) ?? -1);
  if (close < 0) return -1;
  const next = /^\s{0,80}/.exec(bare.slice(close + 1, close + 82))![0].length + close + 1;
  return next;
}

/** The name, and where it ends; an identifier for a name counts only where a function follows. */
function nameAt({ code, bare }: Source, open: number, close: number): { text: string; end: number } | null {
  const head = bare.slice(open + 1, Math.min(close, open + NAME_WITHIN));
  const named = /^\s*(?:\{\s*name:\s*)?(?:[\w.]+\(\s*)?(["'`])/.exec(head);
  if (named !== null) {
    const from = open + 1 + named[0].length;
    const end = bare.indexOf(named[1]!, from);
    return end < 0 || end > close ? null : { text: code.slice(from, Math.min(end, from + NAME_WITHIN)), end };
  }
  const word = /^\s*(?:async\s+)?(?:function\s*\*?\s*)?([\w$.]+)\s*[,(]/.exec(head);
  return word === null ? null : { text: word[1]!, end: open + 1 + word[0].length - 1 };
}

/** Whether the call is given something to carry out, or nothing but a name, as a test that is still to be written. */
function holdsFunction({ bare }: Source, open: number, close: number): boolean {
  const inside = bare.slice(open, Math.min(close, open + 3000));
  return /=>|\bfunction\b|\bfunc\b|\bfn\b|\{|,\s*\w+\s*$/.test(inside);
}

/** `test("…") { … }`: where the block behind the call ends; without one, behind the call. */
function trailingBlock({ bare, brackets }: Source, close: number): number {
  const between = /^[ \t]{0,8}(?:(?:in|async|throws)\s{1,4})?(?=\{)/.exec(bare.slice(close + 1, close + 40));
  if (between === null) return close + 1;
  const end = brackets.get(close + 1 + between[0].length);
  return end === undefined ? close + 1 : end + 1;
}
