/** One word of a command line, as far as it says before the line runs what it is. */

import type { Assignment, Word, WordPart } from "unbash";
import { UNKNOWN_TEXT } from "../../core/policy/tool-rules.ts";

export interface ShellWord {
  /** Without quotes; what shows only when the line runs is `UNKNOWN_TEXT`. A pattern such as `*.log` is taken as written. */
  text: string;
  /** As it stands in the line. */
  raw: string;
  hasPattern: boolean;
}

export function wordOf(word: Word): ShellWord {
  const parts = word.parts ?? [];
  return {
    text: parts.length === 0 ? word.value : parts.map(textOf).join(""),
    raw: word.text,
    hasPattern: parts.some(({ type }) => type === "Glob" || type === "ExtendedGlob"),
  };
}

/** `NAME=VALUE` as one word. */
export function assignmentOf({ name, append, index, value, text }: Assignment): ShellWord {
  const values = value.type === "Word" ? [value] : value.elements;
  const subscript = index === undefined ? "" : `[${wordOf(index).text}]`;
  const written = values.map((word) => wordOf(word).text).join(" ");
  return { text: `${name}${subscript}${append ? "+=" : "="}${written}`, raw: text, hasPattern: false };
}

/** A word that is nowhere written. */
export function plainWord(text: string): ShellWord {
  return { text, raw: text, hasPattern: false };
}

export function isKnown({ text }: ShellWord): boolean {
  return !text.includes(UNKNOWN_TEXT);
}

/** The last part of a program's path. */
export function bareName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** The words that a shell reads as these again. */
export function quotedAgain(words: readonly ShellWord[]): string {
  return words.map((word) => (isKnown(word) ? `'${word.text.replaceAll("'", "'\\''")}'` : word.raw)).join(" ");
}

function textOf(part: WordPart): string {
  switch (part.type) {
    case "Literal":
    case "Glob":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "ExtendedGlob":
      return part.text;
    case "DoubleQuoted":
      return part.parts.map(textOf).join("");
    // What a locale makes of a text, and each of several braces, is not known.
    default:
      return UNKNOWN_TEXT;
  }
}
