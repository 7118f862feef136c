import { type Finding, findingOf } from "./integrity-change.ts";
import { codeBefore, marksAdded } from "./marks.ts";
import { matchUnits } from "./match-units.ts";
import type { ChangedLine, Source, Survey } from "./survey.ts";
import { type Unit, unitsOf } from "./test-units.ts";

/** Marks that keep a test from running, in code without the inside of strings. */
const SKIPPED = new RegExp(
  [
    // JavaScript, Dart.
    "\\b(?:it|test|describe|context|suite|specify|scenario|t|ctx|this|Deno\\.test|QUnit)(?:\\.\\w{1,20})?\\.(?:skip|skipIf|runIf|todo|fixme|ignore)\\b",
    "(?<![\\w$.])x(?:it|describe|test|context|specify|scenario|feature|should)(?:\\.\\w+)?\\s?[(\"'{]",
    "(?<![\\w$.])pending\\b\\s?(?:\\(|\"|'|$)",
    "(?<![\\w$])(?:skip|ignore|todo)\\s?[:=]\\s?(?:true|True|[\"'`]|\\w+\\.env)",
    "\\benabled\\s?=\\s?false",
    // Python.
    "@?\\b(?:pytest\\.mark|unittest|mark)\\.(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\\b|@(?:skip|skipIf|skipUnless|xfail|expectedFailure|SkipTest)\\b",
    "\\bpytest\\.(?:skip|xfail|importorskip)\\(|\\.skipTest\\(|\\bSkipTest\\b|\\b__test__\\s?=\\s?False",
    // Go, Rust.
    "\\b[tbf]\\.(?:Skip|Skipf|SkipNow)\\(|\\btesting\\.Short\\(\\)",
    "#!?\\[\\s?(?:ignore\\b|cfg_attr\\([^\\n]{0,80}\\bignore\\b|cfg\\((?:any\\(\\)|FALSE|false|not\\(test\\)|feature\\b))",
    // What is expected to fail is no longer held to what it asserts.
    "#\\[\\s?should_panic\\b|\\b(?:it|test)\\.(?:fails|failing)\\b|@Test\\s?\\(\\s?expected\\b",
    // Java, Kotlin, Scala, Groovy.
    "@(?:\\w+\\.)?(?:Disabled\\w*|Ignore\\w*|EnabledIf\\w*|EnabledOnOs|PendingFeature|Requires)\\b",
    '\\b(?:assume(?:True|False|That|Not)\\w*|Assum(?:e|ptions)\\.\\w+|TestAborted\\w*)\\(|(?<![\\w.])ignore\\s?[({"]|\\bassume\\(',
    // C#, Swift, C++.
    "\\bSkip(?:Unless|When|Type)?\\s?=|\\[\\s?(?:Ignore|Explicit)\\b|\\bAssert\\.(?:Ignore|Inconclusive|Skip\\w*)\\(|\\bSkip\\.(?:If|IfNot|Unless)\\(",
    "\\bXCTSkip\\w*\\b|\\.disabled\\(|\\bGTEST_SKIP\\b|\\bDISABLED_\\w|^\\s{0,20}#\\s?if\\s(?:0|false|NEVER|DISABLED)\\b|\\bwithKnownIssue\\b|\\bXCTExpectFailure\\b",
    // PHP, Ruby, Elixir, shell, R.
    "\\bmarkTest(?:Skipped|Incomplete)\\b|->(?:skip|todo)\\(",
    "^\\s{0,40}skip(?:\\s|\\(|$)|[,(]\\s?(?::skip|:pending)\\b|(?<![\\w.])skip_(?:on_\\w+|if\\w*)\\(",
    "@(?:module|describe)?tag\\s:?(?:skip|pending|disabled)\\b",
    // Gherkin.
    "^\\s{0,20}@(?:skip|ignore|wip|pending|disabled)\\b",
  ].join("|"),
);

/** Lines between a mark and the test that it is for: other marks. */
const MARK_LINES = 3;

const FOCUSED =
  /\b(?:it|test|describe|context|suite|specify|t|Deno\.test)(?:\.\w{1,20})?\.only\b|(?<![\w$.])f(?:it|describe|context|specify|test)\s?[("']|\bonly:\s?true|[,(]\s?(?::focus\b|focus:\s?true)|\bF(?:It|Describe|Context)\(|@(?:tag\s:focus|focus)\b|\bfocused\(/;

/** Tags of Go builds, which stand in comments. */
const BUILD_TAG = /^\s*\/\/\s?(?:go:build|\+build)\s(.*)$/;

/** Where work goes on everywhere but on the platforms that checks seldom run on, a condition is honest. */
const OTHER_PLATFORM =
  /win32|windows|darwin|mac_?os|\bmac\b|cygwin|freebsd|version_info|\bversion\b|jruby|PHP_VERSION|node_?version|musl|arm64|big_?endian/i;
const RUNS_ONLY_WHERE = /runIf|EnabledOnOs|skipUnless|skip_unless|@Requires|XCTSkipUnless|IfNot|assumeTrue/;

/** Tests that no longer run: marked as skipped, or passed over because others are focused. */
export function judgeSkips(survey: Survey): Finding[] {
  const added = marksAdded(survey, {
    on: isAboutTests,
    keys: (line) => [...skipsOf(line), ...(FOCUSED.test(line.bare) ? ["test_focused" as const] : [])],
  });
  if (added.length === 0) return [];
  const { fresh } = unitsMatched(survey);
  const marks = added.filter(({ key, line }) => key === "test_focused" || !isOfNewTests(line, fresh));
  return marks.map(({ key, line: { source, line, code, comment } }) =>
    findingOf({
      rule: key === "test_focused" ? "test_focused" : "test_skipped",
      path: source.path,
      line,
      evidence: code.trim() === "" ? comment : code,
    }),
  );
}

function unitsMatched(survey: Survey): { fresh: ReadonlySet<Unit> } {
  const became = new Map(survey.pairs.map(({ before, after }) => [before, after]));
  const before = survey.pairs.flatMap((pair) => unitsOf(pair.before));
  const after = survey.pairs.flatMap((pair) => unitsOf(pair.after));
  return matchUnits(before, after, (a, b) => became.get(a.source) === b.source);
}

/** A test that was not there before takes nothing away, whenever it runs. */
function isOfNewTests({ source, line }: ChangedLine, fresh: ReadonlySet<Unit>): boolean {
  const from = source.starts[line - 1]!;
  const end = source.starts[line] ?? source.code.length;
  const tests = unitsOf(source).filter(({ kind }) => kind === "test");
  const around = tests.filter((unit) => unit.from < from && from < unit.to).at(-1);
  const beside = tests.find((unit) => unit.line >= line && unit.line <= line + MARK_LINES);
  const close = closingBehind(source, from, end);
  const inside = close === null ? [] : tests.filter((unit) => unit.from >= from && unit.to <= close + 1);
  const concerned = around !== undefined ? [around] : inside.length > 0 ? inside : beside === undefined ? [] : [beside];
  return concerned.length > 0 && concerned.every((unit) => fresh.has(unit));
}

/** Where the first bracket that a line opens and does not close is closed. */
function closingBehind({ bare, brackets }: Source, from: number, end: number): number | null {
  for (let at = from; at < Math.min(end, from + 400); at++) {
    const close = "([{".includes(bare[at]!) ? brackets.get(at) : undefined;
    if (close !== undefined && close >= end) return close;
  }
  return null;
}

function skipsOf(line: ChangedLine): string[] {
  const tag = line.source.path.endsWith("_test.go") ? BUILD_TAG.exec(line.comment) : null;
  if (tag !== null) return /^(?:linux|unix|!windows|!darwin|windows|darwin)\s*$/.test(tag[1]!) ? [] : ["test_skipped"];
  if (!SKIPPED.test(line.bare) || isOfOtherPlatform(line)) return [];
  // A test that is still to be written takes nothing away.
  if (/\.todo\(/.test(line.bare) && !/=>|function/.test(line.bare)) return [];
  return ["test_skipped"];
}

function isOfOtherPlatform(line: ChangedLine): boolean {
  const hasCondition = /\bif\b|If\b|_if|[?]|Unless|OnOs|assume|Requires|skipif/i.test(line.bare);
  const text = hasCondition ? line.code : codeBefore(line, 2);
  if (!/\bif\b|If\b|_if|Unless|OnOs|assume|Requires|skipif|unless/i.test(text)) return false;
  if (RUNS_ONLY_WHERE.test(text))
    return OTHER_PLATFORM.test(text) ? /!==?|\bnot\b/.test(text) : /linux|unix|posix/i.test(text);
  return OTHER_PLATFORM.test(text) && !/!==?|\bnot\b|linux|\bunless\b/i.test(text);
}

function isAboutTests(source: Source): boolean {
  return source.collected || source.role === "test";
}
