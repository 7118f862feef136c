import { type Finding, findingOf } from "./integrity-change.ts";
import { codeBefore, marksAdded } from "./marks.ts";
import { type ChangedLine, lineAt, linesOnlyIn, type Pair, type Source, type Survey } from "./survey.ts";
import { type Unit, unitsOf } from "./test-units.ts";

/** Lines by which what stands around an assertion swallows it or never comes to it. */
const SWALLOWING = new RegExp(
  [
    "\\bsuppress\\(\\s?(?:AssertionError|Exception|BaseException)?",
    "\\b(?:expect|assert\\w*)\\b.{0,300}\\.catch\\(\\s?(?:\\(\\w*\\)|\\w+)\\s?=>\\s?(?:\\{\\s?\\}|null|undefined|true)\\s?\\)",
    "\\brescue\\s(?:nil|true|false)\\b",
    "\\bdefer\\b.{0,40}\\brecover\\(\\)",
    "\\bcatch_unwind\\(",
    "\\b(?:if|while)\\s?\\(?\\s?(?:false|False|0|nil)\\s?(?:\\)|:|\\{|then)",
    "\\bof\\s?\\[\\s?\\]|\\bin\\s\\[\\s?\\]\\s?(?::|do|\\{)|(?<![\\w)\\]])\\[\\s?\\]\\.(?:forEach|each|map)\\b|\\bin\\srange\\(0\\)|\\.each\\(\\s?\\[\\s?\\]\\s?\\)|parametrize\\([^\\n]{1,100},\\s?\\[\\s?\\]",
    "\\bprocess\\.on\\(\\s?[\"'](?:uncaughtException|unhandledRejection)",
  ].join("|"),
);

/** What makes a handler honest: it fails the test, or looks at what was caught. */
const HONEST_HANDLER =
  /\b(?:throw|raise|fail\w*|Fail\w*|expect|assert\w*|Assert|done|reject|XCTFail|t\.\w+|require|refute|flunk|should|is)\b/;

const RETURN =
  /^\s*(?:if\b.{0,200}?[)\s:{]\s?)?\breturn\b\s?(?:;|\}|$|null\b|None\b|nil\b|true\b|undefined\b|Ok\(\(\)\)|Promise\.resolve\(\)|Task\.CompletedTask)/;

const NESTED = /=>|\bfunction\b|\bdef\b|\bfunc\b|\blambda\b|\bfn\b|->|\bdo \|/;

/** Assertions that can no longer fail, or are never reached. */
export function judgeDisarmed(survey: Survey): Finding[] {
  const on = (source: Source): boolean => source.collected || source.role === "test";
  const swallowing = marksAdded(survey, { on, keys: ({ bare }) => (SWALLOWING.test(bare) ? ["swallowing"] : []) });
  const findings = swallowing.map(({ line }) => disarmed(line));
  for (const pair of survey.pairs) {
    if (pair.after === null || !on(pair.after)) continue;
    const units = unitsOf(pair.after);
    const added = linesOnlyIn(pair.after, pair.before);
    findings.push(...caught(pair, units, added), ...returned(pair.after, units, added));
  }
  return findings;
}

function disarmed({ source, line, code }: ChangedLine): Finding {
  return findingOf({ rule: "assertion_disarmed", path: source.path, line, evidence: code });
}

/** Handlers around assertions that let the test pass. */
function caught({ after }: Pair, units: readonly Unit[], added: readonly ChangedLine[]): Finding[] {
  const source = after!;
  const isIndented = ["python", "ruby", "elixir"].includes(source.language);
  const assertions = units.flatMap((unit) => unit.assertions.map(({ at }) => at)).sort((a, b) => a - b);
  const holds = (from: number, to: number): boolean => assertions.some((at) => at >= from && at < to);
  const handler = isIndented ? /^\s*(?:except\b|rescue\b)/ : /\bcatch\b/;
  return added
    .filter(({ bare }) => handler.test(bare))
    .slice(0, 200)
    .filter((line) => {
      const at = source.starts[line.line - 1]! + handler.exec(line.bare)!.index;
      const block = isIndented ? indentedHandler(source, line) : bracedHandler(source, at);
      return block !== null && holds(block.from, at) && !HONEST_HANDLER.test(block.handler);
    })
    .map(disarmed);
}

/** The block before a `catch`, by the closing bracket before it, and the text of the block behind it. */
function bracedHandler({ bare, brackets }: Source, at: number): { from: number; handler: string } | null {
  const close = bare.slice(Math.max(0, at - 40), at).lastIndexOf("}");
  if (close < 0) return null;
  const closeAt = Math.max(0, at - 40) + close;
  const from = openingOf(bare, brackets, closeAt);
  const open = bare.slice(at, at + 200).indexOf("{");
  const end = open < 0 ? undefined : brackets.get(at + open);
  if (from === null || end === undefined) return null;
  return { from, handler: bare.slice(at + open, Math.min(end, at + 2000)) };
}

/** The opening bracket of a closing one: the nearest `try {` before it that it closes. */
function openingOf(bare: string, brackets: ReadonlyMap<number, number>, close: number): number | null {
  const from = Math.max(0, close - 5000);
  for (const match of bare.slice(from, close).matchAll(/\b(?:try|do)\b[^\n{]{0,60}\{/g)) {
    const open = from + match.index + match[0].length - 1;
    if (brackets.get(open) === close) return open;
  }
  return null;
}

function indentedHandler(source: Source, { line, bare }: ChangedLine): { from: number; handler: string } | null {
  const indent = indentOf(bare);
  const body: string[] = [bare.replace(/^\s*(?:except|rescue)\b[^:]*:?/, "")];
  for (let next = line; next < Math.min(source.starts.length, line + 20); next++) {
    const text = lineText(source, next);
    if (text.trim() !== "" && indentOf(text) <= indent) break;
    body.push(text);
  }
  for (let back = line - 2; back >= Math.max(0, line - 80); back--) {
    const text = lineText(source, back);
    if (text.trim() === "" || indentOf(text) > indent) continue;
    return { from: source.starts[back]!, handler: body.join("\n") };
  }
  return null;
}

/** A way out of a test before its assertions. */
function returned(source: Source, units: readonly Unit[], added: readonly ChangedLine[]): Finding[] {
  const tests = units.filter(({ kind }) => kind === "test");
  return added
    .filter((line) => RETURN.test(line.bare))
    .slice(0, 200)
    .filter((line) => {
      const at = source.starts[line.line - 1]!;
      const around = tests.filter(({ from, to }) => from < at && at < to).at(-1);
      if (
        around === undefined ||
        !around.assertions.some((assertion) => assertion.at > at + line.bare.indexOf("return"))
      )
        return false;
      const isPlatform = /win32|windows|darwin/i.test(codeBefore(line, 1)) && !/!==?/.test(codeBefore(line, 1));
      return !isPlatform && !isNested(source, line, lineAt(source, around.from));
    })
    .map(disarmed);
}

/** Whether the nearest lines that are less indented open another function than the test. */
function isNested(source: Source, { line, bare }: ChangedLine, declaration: number): boolean {
  let indent = indentOf(bare);
  for (let back = line - 2; back >= declaration && line - back < 100; back--) {
    const text = lineText(source, back);
    if (text.trim() === "" || indentOf(text) >= indent) continue;
    if (NESTED.test(text)) return true;
    indent = indentOf(text);
  }
  return false;
}

function lineText({ bare, starts }: Source, index: number): string {
  return bare.slice(starts[index]!, Math.min((starts[index + 1] ?? bare.length + 1) - 1, starts[index]! + 400));
}

function indentOf(text: string): number {
  return /^\s*/.exec(text)![0].length;
}
