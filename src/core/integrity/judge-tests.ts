import { compareUnits } from "./compare-units.ts";
import { coverOf } from "./cover.ts";
import { type Finding, findingOf } from "./integrity-change.ts";
import { matchUnits } from "./match-units.ts";
import { type ProductEvidence, wentWithProduct } from "./product-evidence.ts";
import { linesOnlyIn, type Pair, type Survey } from "./survey.ts";
import { hasTestName } from "./test-files.ts";
import { type Unit, unitsOf } from "./test-units.ts";

/** The share of a test's lines that stand anew in other tests, by which it moved though nothing else tells. */
const MOVED_SHARE = 0.7;

/** What tests, and the functions that assert for them, lost over the whole change. */
export function judgeTests(survey: Survey, evidence: ProductEvidence): Finding[] {
  const before = survey.pairs
    .filter(({ file, before }) => before !== null && isReadable(file))
    .flatMap((pair) => unitsOf(pair.before));
  const after = survey.pairs.flatMap((pair) => unitsOf(pair.after));
  const became = new Map(survey.pairs.map(({ before, after }) => [before, after]));
  const matched = matchUnits(before, after, (a, b) => became.get(a.source) === b.source);
  const cover = coverOf({ survey, matched, after });
  const findings: Finding[] = [];
  for (const [from, to] of matched.became) findings.push(...compareUnits({ from, to }, { cover, evidence }));
  const bodies = new Set(after.filter(({ kind }) => kind === "test").map(({ body }) => body));
  const gone = before.filter((unit) => {
    // Of two that did the same one is enough.
    if (matched.became.has(unit) || (unit.assertions.length > 0 && bodies.has(unit.body))) return false;
    if (wentWithProduct(evidence, unit.source.path, `${unit.name} ${unit.body}`) && unit.kind === "test") return false;
    if (unit.assertions.length > 0) return !unit.assertions.every((assertion) => cover.covers(assertion));
    return unit.kind === "test" && cover.shareOfMovedLines(unit.body) < MOVED_SHARE;
  });
  findings.push(...filesOf(survey, gone, evidence));
  return findings;
}

/** A file of which all tests are gone is one finding; of others each test is one. */
function filesOf(survey: Survey, gone: readonly Unit[], evidence: ProductEvidence): Finding[] {
  const findings: Finding[] = [];
  for (const pair of survey.pairs) {
    const { before, after, file } = pair;
    if (before === null || !isReadable(file)) continue;
    const own = gone.filter(({ source, kind }) => source === before && (kind === "test" || after !== null));
    const tests = own.filter(({ kind }) => kind === "test");
    const left = before.collected && after?.collected !== true;
    if (left && (tests.length > 0 || isUnread(pair, survey, evidence))) {
      const evidence =
        file.kind === "renamed" ? `${before.path} -> ${file.path}` : `${file.path}: ${tests.length} tests gone`;
      findings.push(findingOf({ rule: "test_file_removed", path: file.path, line: null, evidence }));
      continue;
    }
    for (const { name, line, kind, assertions } of own) {
      const rule = kind === "test" ? "test_removed" : "assertion_removed";
      if (kind === "helper" && assertions.every(({ strength }) => strength < 2)) continue;
      findings.push(findingOf({ rule, path: file.path, line: line || assertions[0]!.line, evidence: name }));
    }
  }
  return findings;
}

/** A file of tests of which no test could be told, and whose lines are nowhere else. */
function isUnread({ before, after }: Pair, survey: Survey, evidence: ProductEvidence): boolean {
  if (before === null || unitsOf(before).length > 0 || !hasTestName(before.path) || before.text.trim() === "")
    return false;
  if (wentWithProduct(evidence, before.path, before.code)) return false;
  const elsewhere = new Set(
    survey.pairs
      .filter((pair) => pair.after?.collected === true)
      .flatMap((pair) => linesOnlyIn(pair.after, pair.before).map(({ code }) => code.trim())),
  );
  const lines = linesOnlyIn(before, after)
    .map(({ code }) => code.trim())
    .filter((line) => line.length > 3);
  const moved = after === null || after.collected ? lines.filter((line) => elsewhere.has(line)).length : 0;
  return moved < lines.length * MOVED_SHARE;
}

/** A text that is too big or binary on the later side says nothing about what is gone. */
function isReadable({ kind, after }: Pair["file"]): boolean {
  return kind === "deleted" || after !== null;
}
