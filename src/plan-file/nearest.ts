/** Finds what somebody probably meant. */

/** Longer words are compared by their beginning: the cost grows with the square of the length. */
const COMPARED_LENGTH_MAX = 64;

/** The candidate with the fewest edits to `word` (the first of equals), or null when there are none. */
export function nearestTo(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Levenshtein distance, case ignored: insertions, deletions and replacements of one character. */
export function editDistance(left: string, right: string): number {
  const a = left.slice(0, COMPARED_LENGTH_MAX).toLowerCase();
  const b = right.slice(0, COMPARED_LENGTH_MAX).toLowerCase();
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
