import { type Language, type Syntax, syntaxOf } from "./languages.ts";

/** A text in three views of the same length and lines, so that an offset means the same in each. */
export interface Masked {
  /** Comments blanked. */
  code: string;
  /** Comments blanked, and what stands between quotes. */
  bare: string;
  /** Only the comments. */
  comments: string;
}

/** From and to of a part, and whether it is a comment or the inside of a string. */
interface Part {
  from: number;
  to: number;
  comment: boolean;
}

/** A slash behind one of these begins a regular expression, not a division. */
const BEFORE_REGEX = new Set("(,=:[!&|?{};+-*%<>~^\n");

/** Longer ones are divisions. */
const REGEX_LENGTH_MAX = 300;

/** Tells comments and strings apart from code. One walk, forwards only. */
export function maskSource(text: string, language: Language): Masked {
  const parts = partsOf(text, language);
  const code: string[] = [];
  const bare: string[] = [];
  const comments: string[] = [];
  let at = 0;
  for (const { from, to, comment } of parts) {
    const plain = text.slice(at, from);
    const part = text.slice(from, to);
    code.push(plain, comment ? blank(part) : part);
    bare.push(plain, blank(part));
    comments.push(blank(plain), comment ? part : blank(part));
    at = to;
  }
  const rest = text.slice(at);
  return {
    code: code.join("") + rest,
    bare: bare.join("") + rest,
    comments: comments.join("") + blank(rest),
  };
}

function partsOf(text: string, language: Language): Part[] {
  const syntax = syntaxOf(language);
  const next = beginnings(syntax);
  if (next === null) return [];
  const parts: Part[] = [];
  for (next.lastIndex = 0; ; ) {
    const match = next.exec(text);
    if (match === null) return parts;
    const part = partAt(text, match.index, match[0], { syntax, language });
    if (part === null) continue;
    if (part.to > part.from) parts.push(part);
    next.lastIndex = Math.max(match.index + match[0].length, part.comment ? part.to : part.to + 1);
  }
}

function beginnings({ line, block, quotes, long, regex }: Syntax): RegExp | null {
  const all = [...block.map(([open]) => open), ...long, ...line, ...quotes];
  if (all.length === 0) return null;
  const texts = all.sort((a, b) => b.length - a.length).map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp([...texts, ...(regex ? ["\\/"] : [])].join("|"), "g");
}

/** What begins at `at` with `opening`; null: nothing, it is code. */
function partAt(
  text: string,
  at: number,
  opening: string,
  { syntax, language }: { syntax: Syntax; language: Language },
): Part | null {
  const block = syntax.block.find(([open]) => open === opening);
  if (block !== undefined) return { from: at, to: endBehind(text, block[1], at + opening.length), comment: true };
  if (syntax.line.includes(opening)) {
    if (!beginsComment(text, at, opening, language)) return null;
    return { from: at, to: endOfLine(text, at), comment: true };
  }
  const from = at + opening.length;
  if (opening === "/") return regexAt(text, at);
  if (opening === "`") return { from, to: endOfTemplate(text, from, language === "javascript"), comment: false };
  if (syntax.long.includes(opening)) {
    return { from, to: Math.max(from, endBehind(text, opening, from) - opening.length), comment: false };
  }
  if (opening === "'" && language === "rust") return charAt(text, at);
  return { from, to: endOfString(text, from, opening), comment: false };
}

function beginsComment(text: string, at: number, opening: string, language: Language): boolean {
  if (opening !== "#") return language !== "ini" || at === 0 || /\s/.test(text[at - 1]!);
  if (language === "php") return text[at + 1] !== "[";
  if (language === "python" || language === "elixir" || language === "ruby") return true;
  return at === 0 || /\s/.test(text[at - 1]!);
}

function regexAt(text: string, at: number): Part | null {
  let back = at - 1;
  while (back >= 0 && at - back < 20 && (text[back] === " " || text[back] === "\t")) back--;
  const before = back < 0 ? "\n" : text[back]!;
  if (
    !BEFORE_REGEX.has(before) &&
    !/(?:^|\W)(?:return|typeof|case|in|of)$/.test(text.slice(Math.max(0, back - 8), back + 1))
  )
    return null;
  let inClass = false;
  const limit = Math.min(text.length, at + REGEX_LENGTH_MAX);
  for (let index = at + 1; index < limit; index++) {
    const character = text[index]!;
    if (character === "\n") return null;
    if (character === "\\") index++;
    else if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    else if (character === "/" && !inClass) return { from: at + 1, to: index, comment: false };
  }
  return null;
}

/** A character of Rust, as against a lifetime. */
function charAt(text: string, at: number): Part | null {
  const match = /^'(?:\\[^\n]{1,8}?|[^'\\\n]{1,2})'/.exec(text.slice(at, at + 12));
  return match === null ? null : { from: at + 1, to: at + match[0].length - 1, comment: false };
}

function endOfString(text: string, from: number, quote: string): number {
  for (let index = from; index < text.length; index++) {
    const character = text[index]!;
    if (character === "\\") index++;
    else if (character === quote || character === "\n") return index;
  }
  return text.length;
}

/** With `nested`, `${` opens code that may hold further templates; all of it counts as the inside of the string. */
function endOfTemplate(text: string, from: number, nested: boolean): number {
  // For each open `${` how many braces are open in it; an empty list is the template itself.
  const braces: number[] = [];
  let inTemplates = 1;
  for (let index = from; index < text.length; index++) {
    const character = text[index]!;
    const inside = braces.length < inTemplates;
    if (character === "\\" && nested) index++;
    else if (character === "`") {
      if (!inside) inTemplates++;
      else if (--inTemplates === 0) return index;
    } else if (!nested) continue;
    else if (inside && character === "$" && text[index + 1] === "{") {
      braces.push(1);
      index++;
    } else if (!inside && character === "{") braces[braces.length - 1]!++;
    else if (!inside && character === "}" && --braces[braces.length - 1]! === 0) braces.pop();
  }
  return text.length;
}

function endBehind(text: string, closing: string, from: number): number {
  const at = text.indexOf(closing, from);
  return at < 0 ? text.length : at + closing.length;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function blank(text: string): string {
  return text.replace(/[^\n]+/g, (run) => " ".repeat(run.length));
}
