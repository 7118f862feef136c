/** Alternatives that one glob may have. Eight pairs of two make as many; nobody writes that for files. */
export const ALTERNATIVES_MAX = 256;

export type Expansion = { ok: true; texts: string[] } | { ok: false; problem: string };

/** `src/{a,b{c,d}}` to `src/a`, `src/bc`, `src/bd`. Escapes and character classes are left as they stand. */
export function expandBraces(text: string): Expansion {
  const reader: Reader = { text, at: 0, problem: null };
  const texts = readSequence(reader, 0);
  return reader.problem === null ? { ok: true, texts } : { ok: false, problem: reader.problem };
}

interface Reader {
  text: string;
  at: number;
  problem: string | null;
}

/** Reads to the end, or inside braces to the comma or brace that ends an alternative. */
function readSequence(reader: Reader, depth: number): string[] {
  let texts = [""];
  while (reader.at < reader.text.length && reader.problem === null) {
    const character = reader.text[reader.at]!;
    if (depth > 0 && (character === "," || character === "}")) return texts;
    if (character === "{") texts = combine(texts, readBraces(reader, depth + 1), reader);
    else if (character === "}") reader.problem = "it closes a brace that is not open; write \\} for the character";
    else texts = combine(texts, [readPlain(reader)], reader);
  }
  return texts;
}

function readBraces(reader: Reader, depth: number): string[] {
  const texts: string[] = [];
  let alternatives = 0;
  while (reader.problem === null) {
    reader.at += 1;
    texts.push(...readSequence(reader, depth));
    alternatives += 1;
    if (reader.at >= reader.text.length)
      reader.problem ??= "it opens a brace that is never closed; write \\{ for the character";
    if (texts.length > ALTERNATIVES_MAX) reader.problem ??= tooMany();
    if (reader.text[reader.at] === "}") break;
  }
  if (alternatives === 1) reader.problem ??= "its braces hold no comma; write them as {a,b}";
  reader.at += 1;
  return texts;
}

/** One character, an escaped one, or a whole character class. */
function readPlain(reader: Reader): string {
  const rest = reader.text.slice(reader.at);
  const length = rest.startsWith("\\") ? 2 : (classLength(rest) ?? 1);
  const plain = rest.slice(0, length);
  if (length > 2 && /[{},\\]/.test(plain))
    reader.problem = "a class in it holds a brace, a comma or a backslash, which is not supported";
  reader.at += length;
  return plain;
}

/** The length of the character class that a text begins with; null: none. A bracket that stands first in it is its member. */
export function classLength(text: string): number | null {
  return /^\[[!^]?\]?[^\]/]*\]/.exec(text)?.[0].length ?? null;
}

function combine(heads: string[], tails: string[], reader: Reader): string[] {
  if (heads.length * tails.length > ALTERNATIVES_MAX) {
    reader.problem ??= tooMany();
    return heads;
  }
  return heads.flatMap((head) => tails.map((tail) => head + tail));
}

function tooMany(): string {
  return `its braces make more than ${ALTERNATIVES_MAX} alternatives`;
}
