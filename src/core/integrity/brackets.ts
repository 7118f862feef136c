const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * For each opening bracket's offset the offset of the closing one. Where brackets do not match, the innermost fitting one
 * is taken, so that one slip spoils no more than its own block.
 */
export function matchBrackets(bare: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: { at: number; closing: string }[] = [];
  for (const match of bare.matchAll(/[()[\]{}]/g)) {
    const bracket = match[0];
    const closing = CLOSING[bracket];
    if (closing !== undefined) open.push({ at: match.index, closing });
    else if (open.at(-1)?.closing === bracket) pairs.set(open.pop()!.at, match.index);
    else if (open.length > 1 && open.at(-2)!.closing === bracket) {
      open.pop();
      pairs.set(open.pop()!.at, match.index);
    }
  }
  return pairs;
}

/** The parts between the commas of the outermost level of what lies between two offsets, of the view given. */
export function splitArguments(
  { bare, brackets }: { bare: string; brackets: ReadonlyMap<number, number> },
  from: number,
  to: number,
): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  let begin = from;
  for (let at = from; at < to; at++) {
    const character = bare[at]!;
    if (character === "," || character === ";") {
      parts.push({ from: begin, to: at });
      begin = at + 1;
    } else if (character === "(" || character === "[" || character === "{") {
      at = Math.min(brackets.get(at) ?? at, to);
    }
  }
  if (bare.slice(begin, to).trim() !== "") parts.push({ from: begin, to });
  return parts;
}
