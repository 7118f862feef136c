import { isProgram } from "./languages.ts";
import { linesOnlyIn, type Source, type Survey } from "./survey.ts";
import { unitOf } from "./test-files.ts";
import { type Counts, countInto, isNumber, tells, tokensOf, tokensOnlyIn } from "./tokens.ts";

/** What the rest of the change shows, by which a changed expectation or a removed test is honest. */
export interface ProductEvidence {
  /** Words and numbers that stand more often in the product than before. */
  added: ReadonlySet<string>;
  removed: ReadonlySet<string>;
  /** Names that the product defined and no longer does, and words of its texts that it no longer holds at all. */
  gone: ReadonlySet<string>;
  /** Names of the units whose files were deleted. */
  goneUnits: ReadonlySet<string>;
}

const DEFINITION =
  /(?:\b(?:function\*?|def|defp|defmodule|defmacro|func|fun|fn|class|interface|struct|enum|trait|type|module|sub|record|object|const|let|var|val|void|protocol)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?([A-Za-z_]\w*)|^[ \t]{0,40}(?:(?:public|private|protected|internal|static|async|export|override|final)[ \t]{1,4}){0,5}[\w<>[\],.?]{0,60}[ \t]{1,4}([A-Za-z_]\w{0,80})\([^()\n]{0,200}\)[ \t]{0,4}\{)/gm;

/** A share of the new words that the product must show. */
const SHOWN_SHARE = 0.5;

export function productEvidence(survey: Survey): ProductEvidence {
  const before: Counts = new Map();
  const after: Counts = new Map();
  const defined = { before: new Set<string>(), after: new Set<string>() };
  const goneUnits = new Set<string>();
  for (const pair of survey.pairs) {
    const isSubject = (source: Source | null): source is Source =>
      source !== null && ["product", "config"].includes(source.role);
    if (isSubject(pair.before)) gather(pair.before, before, defined.before);
    if (isSubject(pair.after)) gather(pair.after, after, defined.after);
    const isUnit = pair.role === "product" && pair.file.kind === "deleted";
    if (isUnit) goneUnits.add(unitOf(pair.file.path));
  }
  const added = [...after].filter(([token, count]) => count > (before.get(token) ?? 0)).map(([token]) => token);
  const removed = [...before].filter(([token, count]) => count > (after.get(token) ?? 0)).map(([token]) => token);
  const gone = new Set([...defined.before].filter((name) => !defined.after.has(name) && name.length > 2));
  for (const token of removed) if (!after.has(token) && token.length > 3 && !isNumber(token)) gone.add(token);
  return { added: new Set(added), removed: new Set(removed), gone, goneUnits };
}

/**
 * Whether the product shows why what is expected changed from one text to another: the new words stand in it anew; new
 * numbers do, too, and an old one went; or words are only gone, and the product lost them as well.
 */
export function showsChange(evidence: ProductEvidence, from: string, to: string): boolean {
  const fresh = tokensOnlyIn(to, from).filter(tells);
  const stale = tokensOnlyIn(from, to).filter(tells);
  if (fresh.length === 0) return stale.length > 0 && share(stale, evidence.removed) >= SHOWN_SHARE;
  const words = fresh.filter((token) => !isNumber(token));
  if (words.length > 0) return share(words, evidence.added) >= SHOWN_SHARE && evidence.added.size > 0;
  if (!fresh.every((number) => evidence.added.has(number))) return false;
  return stale.length === 0 || stale.some((token) => evidence.removed.has(token));
}

/** Whether a test of this text tests what the product no longer has. */
export function wentWithProduct({ gone, goneUnits }: ProductEvidence, path: string, text: string): boolean {
  if (goneUnits.has(unitOf(path))) return true;
  return tokensOf(text).some((token) => gone.has(token));
}

/** The share of tokens that a set holds. */
export function share(tokens: readonly string[], among: ReadonlySet<string>): number {
  const distinct = [...new Set(tokens)];
  return distinct.filter((token) => among.has(token)).length / Math.max(1, distinct.length);
}

/** All words and numbers in lines that only the later side of the tests holds. */
export function tokensAddedToTests(survey: Survey): Set<string> {
  const tokens = new Set<string>();
  for (const { before, after } of survey.pairs) {
    if (after?.role !== "test") continue;
    for (const { code } of linesOnlyIn(after, before)) for (const token of tokensOf(code)) tokens.add(token);
  }
  return tokens;
}

function gather(source: Source, counts: Counts, definitions: Set<string>): void {
  countInto(counts, source.code);
  if (!isProgram(source.language)) return;
  for (const match of source.bare.matchAll(DEFINITION)) definitions.add(match[1] ?? match[2]!);
}
