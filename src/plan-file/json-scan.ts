/** One pass over the characters of a JSON text, right or wrong, before it is parsed. */

import { DEPTH_MAX } from "./value-walk.ts";

export interface JsonScan {
  /** Nothing but white space. */
  empty: boolean;
  /** Colons outside strings: in well-formed JSON, the keys that are written. */
  keys: number;
  /** Offset of the first bracket that is nested deeper than `DEPTH_MAX`. */
  tooDeepAt: number | null;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);

/** Counts keys and depth; never fails, whatever the text holds. */
export function scanJson(text: string): JsonScan {
  let keys = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === COLON) keys++;
    else if (OPEN.has(character) && ++depth > DEPTH_MAX) return { empty: false, keys, tooDeepAt: at };
    else if (CLOSE.has(character)) depth--;
  }
  return { empty: text.trim() === "", keys, tooDeepAt: null };
}

/** Offset of the quote that closes the string which opens at `from`, or of the end of the text. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) return at;
    at += character === BACKSLASH ? 2 : 1;
  }
  return at;
}
