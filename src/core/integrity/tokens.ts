/** Words and numbers of texts, by which one text is said to show what another one holds. */

/** How often each word or number stands somewhere. */
export type Counts = Map<string, number>;

const TOKEN = /[A-Za-z_]\w*|\d+(?:\.\d+)*/g;

/** Words that stand in every text and tell nothing. */
const EMPTY = new Set(
  "the and for with not new null nil None true false True False undefined this self return const let var function def func type int string str list dict map set object assert expect equal length size name value data result it to is in of on or if as at by be an a".split(
    " ",
  ),
);

export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

export function countInto(counts: Counts, text: string): void {
  for (const token of tokensOf(text)) counts.set(token, (counts.get(token) ?? 0) + 1);
}

/** The tokens of `a` that `b` does not hold, or not as often. */
export function tokensOnlyIn(a: string, b: string): string[] {
  const spare: Counts = new Map();
  countInto(spare, b);
  return tokensOf(a).filter((token) => {
    const left = spare.get(token) ?? 0;
    if (left > 0) spare.set(token, left - 1);
    return left === 0;
  });
}

export function isNumber(token: string): boolean {
  return /^\d/.test(token);
}

/** Whether a word tells one text from another. */
export function tells(token: string): boolean {
  return isNumber(token) || (token.length >= 2 && !EMPTY.has(token));
}

/** Words and numbers that are written down as values: in quotes, or as numbers. */
export function literalsOf(text: string): string[] {
  const quoted = text.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  const plain = text.replace(/"(?:[^"\\]|\\.)*"/g, " ");
  return [...quoted.flatMap(tokensOf), ...(plain.match(/(?<![\w.])\d+(?:\.\d+)*/g) ?? [])];
}
