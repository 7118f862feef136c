import { type ChangedLine, linesOnlyIn, type Pair, type Source, type Survey } from "./survey.ts";

/** A line that says something of interest, by a key that stays the same when the line moves. */
export interface Mark {
  key: string;
  line: ChangedLine;
}

/** Both sides of a changed file, and which marks a line bears. */
export interface MarkedBy {
  on: (source: Source, pair: Pair) => boolean;
  keys: (line: ChangedLine, pair: Pair) => readonly string[];
}

/**
 * The marks that the change as a whole has more of than before: what only moved, within a file or between files, cancels
 * out.
 */
export function marksAdded(survey: Survey, { on, keys }: MarkedBy): Mark[] {
  const spare = new Map<string, number>();
  const marks = (pair: Pair, source: Source | null, other: Source | null): Mark[] =>
    source === null || !on(source, pair)
      ? []
      : linesOnlyIn(source, other).flatMap((line) => keys(line, pair).map((key) => ({ key, line })));
  for (const pair of survey.pairs) {
    for (const { key } of marks(pair, pair.before, pair.after)) spare.set(key, (spare.get(key) ?? 0) + 1);
  }
  return survey.pairs
    .flatMap((pair) => marks(pair, pair.after, pair.before))
    .filter(({ key }) => {
      const left = spare.get(key) ?? 0;
      if (left > 0) spare.set(key, left - 1);
      return left === 0;
    });
}

/** A line and up to `count` lines before it, code only. */
export function codeBefore({ source, line }: ChangedLine, count: number): string {
  const from = source.starts[Math.max(0, line - 1 - count)]!;
  const to = Math.min(source.starts[line] ?? source.code.length, source.starts[line - 1]! + 400);
  return source.code.slice(Math.max(from, to - 2000), to);
}
