import type { Declared } from "./declared.ts";
import { lineAt, type Source } from "./survey.ts";
import { callForms } from "./test-forms-called.ts";
import { declaredForms } from "./test-forms-declared.ts";

/** A single test as its file declares it. Suites are none. */
export interface Test {
  source: Source;
  /** As written, quotes and blanks evened out; a table's placeholders stay. */
  name: string;
  /** Offsets of the whole test: from its declaration to behind its end. */
  from: number;
  to: number;
  /** From 1. */
  line: number;
  /** What it does, code only, blanks evened out. */
  body: string;
}

/** More tests in one file are not told apart any more. */
const TESTS_MAX = 5000;

/** Longer bodies are compared by their beginning. */
const BODY_LENGTH_MAX = 4000;

/** All tests of a file, in the order of the text; none in a file that runners do not collect. */
export function findTests(source: Source | null): Test[] {
  if (source === null || !source.collected) return [];
  const found = new Map<number, Declared>();
  for (const declared of [...callForms(source), ...declaredForms(source)]) {
    if (found.size >= TESTS_MAX) break;
    if (!found.has(declared.bodyFrom)) found.set(declared.bodyFrom, declared);
  }
  return [...found.values()]
    .sort((a, b) => a.from - b.from || a.to - b.to)
    .map(({ name, from, bodyFrom, to }) => ({
      source,
      name: evened(name),
      from,
      to,
      line: lineAt(source, from),
      body: evened(source.code.slice(bodyFrom, Math.min(to, bodyFrom + BODY_LENGTH_MAX))),
    }));
}

/** One kind of quotes, no blanks but between words. */
export function evened(text: string): string {
  return text
    .replace(/['"`]/g, '"')
    .replace(/\s+/g, " ")
    .replace(/ ?([^\w" ]) ?/g, "$1")
    .replace(/,([)\]}])/g, "$1")
    .trim();
}
