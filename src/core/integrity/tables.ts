import { splitArguments } from "./brackets.ts";
import { evened } from "./find-tests.ts";
import { type Finding, findingOf } from "./integrity-change.ts";
import { type ProductEvidence, showsChange, tokensAddedToTests, wentWithProduct } from "./product-evidence.ts";
import { lineAt, type Source, type Survey } from "./survey.ts";
import { literalsOf, tokensOf } from "./tokens.ts";

interface Row {
  source: Source;
  line: number;
  text: string;
}

/** What stands before a table: the call that runs it, or the name that it goes by. */
const TABLE =
  /(?:\.(?:each|for|cases|forEach)\s{0,10}\(\s{0,40}|\bparametrize\([^[()]{0,200}|\b\w{0,30}(?:cases|tests|table|tcs|scenarios|examples|inputs|params|vectors|samples|data|rows|pairs)\b[^=\n;(]{0,80}=\s{0,10}|\b(?:of|in)\s{1,4}|\breturn\s{1,4}|(?:CsvSource|ValueSource|TestWith|values)\s{0,4}[(=]\s{0,10}\w{0,10}\s{0,4}=?\s{0,4})(?=[[{])/gi;

/** Go's tables: the literal behind the type. */
const GO_TABLE = /(?:\[\]|map\[\w{1,20}\])(?:struct\s{0,4}\{|\w{1,60}(?=\{))/g;

const ROW_LINE =
  /^[ \t]*(?:\[(?:InlineData|DataRow|TestCase)\(.*|#\[case\b.*|#\[test_case\(.*|\|.*\||(?:Arguments\.of|arguments|Entry|row|pytest\.param|TestCase)\(.*)$/gm;

const ROWS_MAX = 5000;

/** Cases of tables that are gone, or that expect something else. */
export function judgeTables(survey: Survey, evidence: ProductEvidence): Finding[] {
  const pairs = survey.pairs.filter(({ before, after }) => before?.collected === true && after?.collected === true);
  const before = pairs.flatMap((pair) => rowsOf(pair.before!));
  const after = survey.pairs.flatMap(({ after }) => (after?.collected === true ? rowsOf(after) : []));
  const gone = onlyIn(before, after);
  if (gone.length === 0) return [];
  const anew = onlyIn(after, before);
  const added = tokensAddedToTests(survey);
  const successors = new Map(pairs.map((pair) => [pair.before!, pair.after!]));
  const findings: Finding[] = [];
  for (const row of gone) {
    const path = successors.get(row.source)!.path;
    const words = literalsOf(row.text);
    if (words.length === 0 && tokensOf(row.text).length < 2) continue;
    const first = tokensOf(row.text).slice(0, 1).join();
    const index = anew.findIndex(
      (other) => other.source.path === path && tokensOf(other.text).slice(0, 1).join() === first,
    );
    if (index >= 0) {
      const [next] = anew.splice(index, 1);
      const isMore = tokensOf(row.text).every((token) => tokensOf(next!.text).includes(token));
      if (isMore || showsChange(evidence, row.text, next!.text)) continue;
      findings.push(
        findingOf({ rule: "expectation_changed", path, line: next!.line, evidence: `${row.text} -> ${next!.text}` }),
      );
    } else if (!words.every((word) => added.has(word)) && !wentWithProduct(evidence, "", row.text)) {
      findings.push(findingOf({ rule: "test_case_removed", path, line: row.line, evidence: row.text }));
    }
  }
  return findings;
}

function rowsOf(source: Source): Row[] {
  const rows = new Map<number, Row>();
  const put = (at: number, text: string): void => {
    if (rows.size < ROWS_MAX) rows.set(at, { source, line: lineAt(source, at), text: evened(text) });
  };
  for (const match of source.bare.matchAll(TABLE)) putRows(source, match.index + match[0].length, put);
  if (source.language === "go") {
    for (const match of source.bare.matchAll(GO_TABLE)) {
      const end = match.index + match[0].length;
      const open = match[0].endsWith("{") ? (source.brackets.get(end - 1) ?? -2) + 1 : end;
      putRows(source, open, put);
    }
  }
  for (const match of source.code.matchAll(ROW_LINE)) put(match.index, match[0].slice(0, 400));
  return [...rows.values()];
}

function putRows(source: Source, open: number, put: (at: number, text: string) => void): void {
  const close = source.brackets.get(open);
  if (close === undefined) return;
  const parts = splitArguments(source, open + 1, Math.min(close, open + 100_000));
  for (const { from, to } of parts) {
    const begin = from + /^\s*/.exec(source.bare.slice(from, from + 200))![0].length;
    if (begin < to) put(begin, source.code.slice(begin, Math.min(to, begin + 400)));
  }
}

function onlyIn(a: readonly Row[], b: readonly Row[]): Row[] {
  const spare = new Map<string, number>();
  for (const { text } of b) spare.set(text, (spare.get(text) ?? 0) + 1);
  return a.filter(({ text }) => {
    const left = spare.get(text) ?? 0;
    if (left > 0) spare.set(text, left - 1);
    return left === 0;
  });
}
