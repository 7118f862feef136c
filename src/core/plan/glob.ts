import { classLength, expandBraces } from "./expand-braces.ts";
import { type CharacterSet, foldCase, type Token } from "./glob-character.ts";

/** A directory or file name in a pattern, or any number of them, none included. */
export type Segment = "any_depth" | Token[];
export type Pattern = Segment[];

/** A glob is the sum of its patterns. One with a problem is not understood, and so may match anything. */
export type Glob = { problem: null; patterns: Pattern[] } | { problem: string };

/** Longer ones are a mistake: no path of a repository is. */
const GLOB_LENGTH_MAX = 1000;

/** Deeper ones are a mistake, too; the walk over two globs costs the product of their depths. */
const SEGMENTS_MAX = 64;

/** Escapes of other characters are rather directories written with backslashes. */
const ESCAPABLE = new Set("*?[]{}()!^@+,-\\");

/**
 * Reads a glob: `*` and `?` within a name, `**` as a whole name for any depth, `[a-z]` and `[!a-z]`, `{a,b}`, `\` before
 * a character that stands for itself. A text without any of them stands for that file and everything beneath it, and one
 * with a slash at its end for the directory's content. Classes also stand for themselves: `app/[id]/page.tsx` is a file.
 */
export function readGlob(text: string): Glob {
  const problem = formProblem(text);
  if (problem !== null) return { problem };
  const expansion = expandBraces(text.normalize("NFC"));
  if (!expansion.ok) return { problem: expansion.problem };
  const patterns: Pattern[] = [];
  for (const alternative of expansion.texts) {
    const segments = segmentsOf(alternative);
    if (segments.includes(".."))
      return { problem: 'it leaves its directory with ".."; write it from the root of the repository' };
    if (segments.length > SEGMENTS_MAX) return { problem: `it is more than ${SEGMENTS_MAX} directories deep` };
    patterns.push(...patternsOf(segments, alternative.endsWith("/")));
  }
  return { problem: null, patterns };
}

/** What is wrong with a glob, as the end of a sentence that begins with the glob; null: nothing. */
export function globProblem(glob: string): string | null {
  return readGlob(glob).problem;
}

/** The names that a path or a glob consists of. */
export function segmentsOf(text: string): string[] {
  return text.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function formProblem(text: string): string | null {
  if (text === "") return "it is empty; write . for the whole repository";
  if (text.length > GLOB_LENGTH_MAX) return `it is longer than ${GLOB_LENGTH_MAX} characters`;
  if (/^(\.?\/)*!/.test(text)) return "it begins with !, but globs here only add; write \\! for the character";
  if (/(?<!\\)[?*+@!]\(/.test(text)) return "it has a group such as @(a|b), which is not supported; write {a,b}";
  if (/\[[^\]]*\/[^\]]*\]/.test(text))
    return "a class in it holds a slash; close it before the slash, or write \\[ for the character";
  if (text.includes("[[:")) return "it has a named class such as [[:alpha:]], which is not supported; write [a-z]";
  const escaped = [...text.matchAll(/\\(.?)/gsu)].map((match) => match[1]!);
  if (escaped.some((character) => !ESCAPABLE.has(character))) return "it has a backslash; write / between directories";
  return null;
}

function patternsOf(segments: readonly string[], isDirectory: boolean): Pattern[] {
  const readings = segments.some((segment) => segment.includes("[")) ? [true, false] : [true];
  return readings.map((hasClasses) => {
    const pattern = segments.map(
      (segment): Segment => (/^\*{2,}$/.test(segment) ? "any_depth" : tokensOf(segment, hasClasses)),
    );
    const isPlain = pattern.every(
      (segment) => segment !== "any_depth" && segment.every((token) => token.kind === "literal"),
    );
    if (isPlain || isDirectory) pattern.push("any_depth");
    return pattern;
  });
}

function tokensOf(segment: string, hasClasses: boolean): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < segment.length; ) {
    const character = String.fromCodePoint(segment.codePointAt(at)!);
    const length = hasClasses ? classLength(segment.slice(at)) : null;
    if (length !== null) tokens.push(classOf(segment.slice(at + 1, at + length - 1)));
    else if (character === "*") tokens.push({ kind: "star" });
    else if (character === "?") tokens.push({ kind: "set", negated: true, ranges: [] });
    else if (character === "\\") tokens.push({ kind: "literal", code: foldCase(segment.codePointAt(at + 1)!) });
    else tokens.push({ kind: "literal", code: foldCase(character.codePointAt(0)!) });
    at += length ?? (character === "\\" ? 2 : character.length);
  }
  return tokens;
}

/** `inner` is what stands between the brackets. Ends of a range in the wrong order are put right. */
function classOf(inner: string): CharacterSet {
  const negated = /^[!^]/.test(inner);
  const codes = [...(negated ? inner.slice(1) : inner)].map((character) => character.codePointAt(0)!);
  const ranges: [number, number][] = [];
  const hyphen = "-".codePointAt(0)!;
  for (let at = 0; at < codes.length; at++) {
    const isRange = codes[at + 1] === hyphen && at + 2 < codes.length;
    const last = isRange ? codes[at + 2]! : codes[at]!;
    ranges.push([Math.min(codes[at]!, last), Math.max(codes[at]!, last)]);
    if (isRange) at += 2;
  }
  return { kind: "set", negated, ranges };
}
