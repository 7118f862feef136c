/** Globs of texts: `*` is any number of characters, `?` is one. */

import { UNKNOWN_TEXT } from "./tool-rules.ts";

/** Steps of one question, some milliseconds: beyond it the glob is taken as one that may match. */
const STEPS_MAX = 1_000_000;

/** What is not known matches a star only. Its time is at most the product of both lengths. */
export function matchesText(glob: string, text: string): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let read = 0; read < text.length; ) {
    if (glob[at] === "*") [star, from, at] = [at, read, at + 1];
    else if (at < glob.length && (isAnyKnown(glob[at]!, text[read]!) || glob[at] === text[read]))
      [at, read] = [at + 1, read + 1];
    else if (star === -1) return false;
    // The last star takes one more.
    else [at, from, read] = [star + 1, from + 1, from + 1];
  }
  return [...glob.slice(at)].every((character) => character === "*");
}

function isAnyKnown(wanted: string, character: string): boolean {
  return wanted === "?" && character !== UNKNOWN_TEXT;
}

/** Whether the glob may match when what is not known in the text is any text, or none. */
export function mayMatchText(glob: string, text: string): boolean {
  // A word of which nothing comes is not there, and neither is the space before it.
  const read = text.replaceAll(` ${UNKNOWN_TEXT}`, UNKNOWN_TEXT);
  if (read.length * glob.length > STEPS_MAX) return true;
  let places = pastStars(glob, new Set([0]));
  for (const character of read) {
    const next = new Set<number>();
    for (const at of places) {
      if (character === UNKNOWN_TEXT) for (let after = at; after <= glob.length; after++) next.add(after);
      else if (glob[at] === "*") next.add(at);
      else if (glob[at] === "?" || glob[at] === character) next.add(at + 1);
      // All places behind the first are reached from it.
      if (character === UNKNOWN_TEXT) break;
    }
    if (next.size === 0) return false;
    places = pastStars(glob, next);
  }
  return places.has(glob.length);
}

/** The places in order, with those behind a star that stands for nothing. */
function pastStars(glob: string, places: ReadonlySet<number>): Set<number> {
  const all = new Set<number>();
  for (const place of [...places].sort((one, other) => one - other)) {
    let at = place;
    all.add(at);
    while (glob[at] === "*") all.add(++at);
  }
  return new Set([...all].sort((one, other) => one - other));
}
