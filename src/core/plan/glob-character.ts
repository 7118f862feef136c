/** One character of a glob's segment, or the star that stands for any number of them. Characters are code points. */
export type Token = { kind: "star" } | Literal | CharacterSet;

export interface Literal {
  kind: "literal";
  /** Folded, see `foldCase`. */
  code: number;
}

/** `[a-z]`, `[!a-z]`, and `?`, which is the negation of nothing. Never holds a slash. */
export interface CharacterSet {
  kind: "set";
  negated: boolean;
  /** First and last code point of each range, as written. */
  ranges: [number, number][];
}

/** Larger sets are not looked through: they are taken to share a character. */
const SET_SIZE_MAX = 512;

const SLASH = 0x2f;

/** The code point that stands for a character in all its cases; file systems may not tell them apart. */
export function foldCase(code: number): number {
  return single(String.fromCodePoint(single(String.fromCodePoint(code).toUpperCase(), code)).toLowerCase(), code);
}

/** Whether a set holds the character, in any case: `[!a]` holds neither `a` nor `A`. */
export function holds(set: CharacterSet, code: number): boolean {
  return casesOf(code).some((variant) => isInRanges(set, variant)) !== set.negated;
}

/**
 * Whether two single characters may be the same file system's character. More generous than `holds`: `[!a]` stands for
 * `A`, which may be the same as `a`.
 */
export function mayBeSame(a: Literal | CharacterSet, b: Literal | CharacterSet): boolean {
  if (a.kind === "literal" && b.kind === "literal") return a.code === b.code;
  if (a.kind === "literal") return mayHold(b as CharacterSet, a.code);
  if (b.kind === "literal") return mayHold(a, b.code);
  if (a.negated && b.negated) return true;
  return a.negated ? shareCharacter(b, a) : shareCharacter(a, b);
}

function shareCharacter(listed: CharacterSet, other: CharacterSet): boolean {
  const size = listed.ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (size > SET_SIZE_MAX) return true;
  return listed.ranges.some(([first, last]) => {
    for (let code = first; code <= last; code++) if (code !== SLASH && mayHold(other, code)) return true;
    return false;
  });
}

function mayHold(set: CharacterSet, code: number): boolean {
  return casesOf(code).some((variant) => isInRanges(set, variant) !== set.negated);
}

function isInRanges({ ranges }: CharacterSet, code: number): boolean {
  return ranges.some(([first, last]) => first <= code && code <= last);
}

function casesOf(code: number): number[] {
  const folded = foldCase(code);
  return [code, folded, single(String.fromCodePoint(folded).toUpperCase(), folded)];
}

/** The only code point of a text, or `otherwise` where changing the case made several of one. */
function single(text: string, otherwise: number): number {
  const code = text.codePointAt(0) ?? otherwise;
  return String.fromCodePoint(code).length === text.length ? code : otherwise;
}
