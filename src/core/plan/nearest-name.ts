/** Comparisons that all the suggestions of one plan may cost together: a file of wrong names must still be answered at once. */
const COMPARISONS_MAX = 500_000;

/** Names longer than this are not compared: a comparison costs the product of the lengths. */
const COMPARED_LENGTH_MAX = 64;

/** Up to this length one slip is a typing error and two are another word. */
const SHORT_NAME_LENGTH = 5;

/** Returns a function that finds the known name which a wrong one was probably meant to be, or null when none is close. */
export function nearestNames(known: Iterable<string>): (wrong: string) => string | null {
  let names: string[] | null = null;
  let comparisonsLeft = COMPARISONS_MAX;
  return (wrong) => {
    names ??= [...known];
    if (wrong.length > COMPARED_LENGTH_MAX || comparisonsLeft < names.length) return null;
    comparisonsLeft -= names.length;
    return nearestOf(names, wrong);
  };
}

function nearestOf(names: readonly string[], wrong: string): string | null {
  const wanted = wrong.toLowerCase();
  let limit = wrong.length <= SHORT_NAME_LENGTH ? 1 : 2;
  let nearest: string | null = null;
  for (const name of names) {
    if (Math.abs(name.length - wrong.length) > limit) continue;
    const distance = distanceWithin(name.toLowerCase(), wanted, limit);
    if (distance === null) continue;
    nearest = name;
    if (distance === 0) return name;
    limit = distance - 1;
  }
  return nearest;
}

/** How many characters must be put in, left out or replaced, or null when more than `limit`. */
function distanceWithin(a: string, b: string, limit: number): number | null {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    if (Math.min(...next) > limit) return null;
    row = next;
  }
  return row[b.length]! <= limit ? row[b.length]! : null;
}
