import type { Declared } from "./declared.ts";
import type { Language } from "./languages.ts";
import { lineAt, type Source } from "./survey.ts";

/** Declarations whose name says that they are tests, or that a keyword marks, by language. The group is the name. */
const BRACED: Partial<Record<Language, RegExp>> = {
  go: /^func[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?((?:Test|Benchmark|Example|Fuzz)\w*)\(/gm,
  java: /\bvoid[ \t]+(test\w*)[ \t]*\(/g,
  groovy: /\bdef[ \t]+["']()/g,
  php: /\bfunction[ \t]+(test\w*)[ \t]*\(/g,
  swift: /\bfunc[ \t]+(test\w*)[ \t]*\(/g,
  shell: /^(?:@test[ \t]+["']()|(?:function[ \t]+)?(test\w*)[ \t]*\(\))/gm,
  cpp: /\b(?:TYPED_)?(?:TEST|TEST_F|TEST_P|BOOST_AUTO_TEST_CASE|BOOST_FIXTURE_TEST_CASE)\(([^()\n]{1,160})\)|^test[ \t]+["']()/gm,
  scala: /["']()[ \t]{1,4}(?:should|must|can|in)\b/g,
  kotlin: /^[ \t]*"()/gm,
  clojure: /\(deftest[ \t]+([\w?!*<>=-]+)/g,
};

/** Marks of a method as a test, by language. */
const MARKED: Partial<Record<Language, RegExp>> = {
  java: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property|Theory)\b/g,
  kotlin: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/g,
  scala: /@Test\b/g,
  groovy: /@Test\b/g,
  csharp: /\[(?:Fact|Theory|Test|TestMethod|DataTestMethod|TestCase|TestCaseSource|SkippableFact|Property)\b/g,
  swift: /@Test\b/g,
  php: /#\[(?:Test|DataProvider|TestWith)\b|@test\b/g,
  rust: /#\[(?:\w+::)*(?:test|rstest|test_case|wasm_bindgen_test|quickcheck|proptest|bench)\b/g,
};

const INDENTED: Partial<Record<Language, RegExp>> = {
  python: /^([ \t]*)(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(/gm,
  ruby: /^([ \t]*)(?:(?:[xfp]?(?:it|specify|example|scenario)|test|should|property)\b[ \t]*\(?[ \t]*["']()|def[ \t]+(test_\w+[?!]?)|(?:[xfp]?it|specify)[ \t]+(?:do\b|\{))/gm,
  elixir: /^([ \t]*)(?:test|property|feature|doctest)[ \t]*\(?[ \t]*"()/gm,
  lua: /^([ \t]*)function[ \t]+(?:\w+[.:])?(test\w*)\(/gm,
  yaml: /^([ \t]*)Scenario(?: Outline)?:[ \t]*(.*)$/gm,
};

/** How far behind its mark a method's name is looked for. */
const HEADER_WITHIN = 1500;

/** A header with more lines is taken for brackets that do not match. */
const HEADER_LINES_MAX = 60;

/** Tests that are declared by name, mark or keyword. */
export function* declaredForms(source: Source): Generator<Declared> {
  yield* braced(source);
  yield* marked(source);
  yield* indented(source);
}

function* braced(source: Source): Generator<Declared> {
  const form = BRACED[source.language];
  if (form === undefined) return;
  for (const match of source.bare.matchAll(form)) {
    const quoted = /["']$/.test(match[0]) || source.language === "scala" || source.language === "kotlin";
    const name = quoted ? quotedName(source, match.index) : (match[1] ?? match[2] ?? "");
    const body = bodyBehind(source, match.index + match[0].length - (match[0].endsWith("(") ? 1 : 0));
    if (name === "" || body === null) continue;
    yield { name, from: match.index, bodyFrom: body.from, to: body.to };
  }
}

function* marked(source: Source): Generator<Declared> {
  const form = MARKED[source.language];
  if (form === undefined) return;
  const text = source.language === "php" ? source.text : source.bare;
  for (const match of text.matchAll(form)) {
    const named = methodBehind(source, match.index);
    if (named === null) continue;
    const body = bodyBehind(source, named.open);
    if (body !== null) yield { name: named.name, from: match.index, bodyFrom: body.from, to: body.to };
  }
}

function* indented(source: Source): Generator<Declared> {
  const form = INDENTED[source.language];
  if (form === undefined) return;
  for (const match of source.bare.matchAll(form)) {
    const indent = match[1]!.length;
    const name = /["']$/.test(match[0]) ? quotedName(source, match.index) : (match[3] ?? match[2] ?? "");
    const to = endByIndent(source, match.index, indent);
    const header = match.index + match[0].length;
    yield { name: name || source.code.slice(header, header + 80), from: match.index, bodyFrom: header, to };
  }
}

/** What stands between the first quotes behind an offset. */
function quotedName({ bare, code }: Source, from: number): string {
  const quote = /["']/.exec(bare.slice(from, from + 80));
  if (quote === null) return "";
  const begin = from + quote.index + 1;
  const end = bare.indexOf(quote[0], begin);
  return end < 0 ? "" : code.slice(begin, Math.min(end, begin + 200));
}

/** The method that a mark belongs to: the last word before the first bracket that belongs to no other mark. */
function methodBehind({ bare, code, brackets }: Source, mark: number): { name: string; open: number } | null {
  let at = mark;
  const end = Math.min(bare.length, mark + HEADER_WITHIN);
  for (let from = mark; at < end; at++) {
    const character = bare[at]!;
    if (character === "[") at = brackets.get(at) ?? at;
    else if (character === "{" || character === ";" || character === "}") return null;
    else if (character === "(") {
      const head = bare.slice(from, at);
      const isMark = /@[\w.:]+\s*$/.test(head.slice(-80));
      if (!isMark) {
        const quoted = /`([^`\n]{1,200})`\s*$/.exec(code.slice(Math.max(from, at - 220), at));
        const word = quoted ?? /([\w$?!]+)(?:<[^<>]{0,40}>)?\s*$/.exec(head.slice(-160));
        return word === null ? null : { name: word[1]!, open: at };
      }
      at = brackets.get(at) ?? at;
      from = at + 1;
    }
  }
  return null;
}

/** The block behind a bracketed list of parameters, or the expression that stands for it. */
function bodyBehind({ bare, brackets }: Source, at: number): { from: number; to: number } | null {
  const behind = bare[at] === "(" ? (brackets.get(at) ?? at) + 1 : at;
  const head = bare.slice(behind, behind + 400);
  const open = /[{;=]/.exec(head);
  if (open === null) return null;
  const from = behind + open.index;
  if (open[0] === "{") return { from, to: (brackets.get(from) ?? from) + 1 };
  if (open[0] === ";") return null;
  const end = bare.indexOf("\n", from);
  return { from, to: end < 0 ? bare.length : end };
}

/** The end of a block by its indentation: before the next line that is not deeper, with the `end` of it. */
function endByIndent(source: Source, from: number, indent: number): number {
  const { bare, starts, language } = source;
  let last = lineAt(source, from);
  const first = last;
  let depth = 0;
  for (let line = first; line <= starts.length; line++) {
    const text = bare.slice(starts[line - 1]!, Math.min(starts[line] ?? bare.length, starts[line - 1]! + 400));
    const trimmed = text.trim();
    // A header over several lines closes its brackets at the indentation of its beginning.
    const deeper = /^[ \t]*/.exec(text)![0].length > indent;
    if (
      line > first &&
      trimmed !== "" &&
      !deeper &&
      (depth <= 0 || line - first > HEADER_LINES_MAX) &&
      !/^[)\]}]/.test(trimmed)
    ) {
      if (language !== "python" && /^end\b/.test(trimmed)) last = line;
      break;
    }
    for (const character of trimmed.match(/[()[\]]/g) ?? []) depth += character === "(" || character === "[" ? 1 : -1;
    if (trimmed !== "") last = line;
  }
  return starts[last] ?? bare.length;
}
