import { type Finding, findingOf } from "./integrity-change.ts";
import { type ProductEvidence, share, tokensAddedToTests } from "./product-evidence.ts";
import { linesOnlyIn, type Pair, type Survey } from "./survey.ts";
import { unitOf } from "./test-files.ts";
import { isNumber, tells, tokensOf } from "./tokens.ts";

/** The share of what is new in a recording that the product or the tests must show. */
const SHOWN_SHARE = 0.3;

const BROKEN = /\bundefined\b|\bNaN\b|\[object Object\]|Traceback \(most recent|\bTypeError\b|panic:/;

/** Names of entries of a file of snapshots. */
const ENTRY = /^\s*(?:exports\[`(.*?)(?: \d+)?`\]|\[(.*?)(?: - \d+)?\]$|# name: (.*)$)/;

/** Recordings that tests compare with, rewritten or deleted while nothing tells why. */
export function judgeGoldens(survey: Survey, evidence: ProductEvidence): Finding[] {
  const goldens = survey.pairs.filter(({ role, file }) => role === "golden" && file.kind !== "added");
  if (goldens.length === 0) return [];
  const inTests = tokensAddedToTests(survey);
  const gone = goneFromTests(survey);
  const shown = new Set([...evidence.added, ...inTests]);
  const arrived = new Set(
    survey.pairs.flatMap(({ after, role }) => (role === "golden" && after !== null ? [after.text.trim()] : [])),
  );
  return goldens.flatMap((pair) => {
    if (pair.before !== null && arrived.has(pair.before.text.trim())) return [];
    const found = judgeGolden(pair, { shown, gone, evidence });
    return found === null ? [] : [findingOf({ rule: "golden_rewritten", path: pair.file.path, ...found })];
  });
}

function judgeGolden(
  { before, after, file }: Pair,
  { shown, gone, evidence }: { shown: ReadonlySet<string>; gone: ReadonlySet<string>; evidence: ProductEvidence },
): { line: number | null; evidence: string } | null {
  if (file.kind === "mode" || (file.kind === "renamed" && before === null)) return null;
  if (file.kind === "deleted") {
    const isOrphan =
      gone.has(unitOf(file.path.replace(/\.(?:snap|ambr)$/, ""))) || evidence.goneUnits.has(unitOf(file.path));
    return isOrphan || tokensOf(file.path).some((token) => gone.has(token))
      ? null
      : { line: null, evidence: `deleted: ${file.path}` };
  }
  // What is binary cannot be read; a picture is judged by whether the product changed at all.
  if (before === null || after === null)
    return evidence.added.size > 0 ? null : { line: null, evidence: `rewritten: ${file.path}` };
  const stale = linesOnlyIn(before, after);
  if (stale.length === 0) return null;
  const fresh = linesOnlyIn(after, before);
  const words = (lines: typeof stale): string[] =>
    lines.flatMap(({ source, line }) => tokensOf(lineText(source.text, source.starts, line))).filter(tells);
  // Such words in a recording are a fault of what was recorded.
  const broken = fresh.find(({ code }) => BROKEN.test(code));
  if (broken !== undefined && !stale.some(({ code }) => BROKEN.test(code)))
    return { line: broken.line, evidence: broken.code };
  const old = new Set(words(stale));
  const anew = words(fresh).filter((token) => !old.has(token));
  const left = new Set(words(fresh));
  const lost = [...old].filter((token) => !left.has(token));
  if (anew.length === 0) {
    const isOrphan = share(lost, new Set([...evidence.removed, ...gone])) >= SHOWN_SHARE || lost.length === 0;
    return isOrphan ? null : { line: stale[0]!.line, evidence: stale[0]!.code };
  }
  const telling = anew.filter((token) => !isNumber(token));
  const isShown = share(telling.length > 0 ? telling : anew, shown) >= SHOWN_SHARE;
  return isShown ? null : { line: fresh[0]!.line, evidence: fresh[0]!.code };
}

/** Names of tests, and words of their files' names, that are gone from the tests. */
function goneFromTests(survey: Survey): Set<string> {
  const left = new Set<string>();
  const gone = new Set<string>();
  for (const { before, after } of survey.pairs) {
    for (const token of after?.role === "test" ? tokensOf(after.code) : []) left.add(token);
    if (before?.role === "test" && after === null) gone.add(unitOf(before.path));
  }
  for (const { before } of survey.pairs) {
    for (const token of before?.role === "test" ? tokensOf(before.code) : []) if (!left.has(token)) gone.add(token);
  }
  return gone;
}

function lineText(text: string, starts: readonly number[], line: number): string {
  return text
    .slice(starts[line - 1]!, Math.min((starts[line] ?? text.length + 1) - 1, starts[line - 1]! + 1000))
    .replace(ENTRY, "$1$2$3");
}
