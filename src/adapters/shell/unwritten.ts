/** What in a command line runs without being written as a command. */

import type { SyntaxNode } from "unbash";
import { assignmentOf, type ShellWord, wordOf } from "./shell-word.ts";

/** They run a script that stands in their arguments, or comes on their standard input. */
export const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "rbash", "dash", "zsh", "ksh", "mksh", "ash"]);

/** Their scripts are in a language of their own. */
export const STRANGE_SHELLS: ReadonlySet<string> = new Set("csh elvish fish nu pwsh rc tcsh xonsh".split(" "));

/** How a shell is called. `flag` and `firstWord` are places in `words`, or -1; `scripts` are those that it may be told. */
export function shellCall(words: readonly ShellWord[]): { flag: number; firstWord: number; scripts: ShellWord[] } {
  const isWord = ({ text }: ShellWord): boolean => !/^[-+]/.test(text);
  const flag = words.findIndex(({ text }, index) => index > 0 && /^-[a-z]*c[a-z]*$/i.test(text));
  const firstWord = words.findIndex((word, index) => index > 0 && isWord(word));
  if (flag === -1) return { flag, firstWord, scripts: [] };
  const behind = words.slice(flag + 1);
  const first = behind.findIndex(isWord);
  // Where an option may have a value, the next word may be it.
  const isSure = [words[flag]!, ...behind.slice(0, first)].every(({ text }) => !/^[-+](?!-).*o/i.test(text));
  return { flag, firstWord, scripts: isSure ? behind.filter(isWord).slice(0, 1) : behind.filter(isWord) };
}

/** Options by which a builtin runs text of its arguments, now or later. */
const TEXT_RUNNERS: Readonly<Record<string, RegExp>> = {
  bind: /^-x/,
  compgen: /^-[A-Za-z]*[CF]/,
  complete: /^-[A-Za-z]*[CF]/,
  enable: /^-[a-z]*f/,
  fc: /^/,
  mapfile: /^-[a-z]*C/,
  readarray: /^-[a-z]*C/,
};

/** They work out the subscript of a variable that they are told, and run what is substituted in it. */
const SUBSCRIPT_READERS = new Set("[ declare export let local printf read readonly test typeset unset wait".split(" "));

const SUBSTITUTION = /\$\(|`/;
const QUOTED_SUBSTITUTION = /['\\][\s\S]*(?:\$\\?\(|`)/;

export function runsText(name: string, words: readonly ShellWord[]): boolean {
  const option = Object.hasOwn(TEXT_RUNNERS, name) ? TEXT_RUNNERS[name]! : null;
  if (option !== null && words.slice(1).some(({ text }) => option.test(text))) return true;
  const reads = SUBSCRIPT_READERS.has(name);
  return reads && words.some(({ text }) => SUBSTITUTION.test(text) && (name === "let" || text.includes("[")));
}

/** Operators of `[[` that work out what stands beside them. */
const WORKED_OUT = /^-(?:v|R|eq|ne|lt|le|gt|ge)$/;

/** Whether something that is quoted, and so only a text, may be run all the same. */
export function hasHiddenCode(node: SyntaxNode): boolean {
  switch (node.type) {
    case "Assignment":
      return isCode(assignmentOf(node).text);
    case "TestUnary":
      return WORKED_OUT.test(node.operator) && wordOf(node.operand).text.includes("[");
    case "TestBinary":
      return WORKED_OUT.test(node.operator) && [node.left, node.right].some((word) => wordOf(word).text.includes("["));
    case "ArithmeticCommand":
      return QUOTED_SUBSTITUTION.test(node.body);
    case "ArithmeticExpansion":
      return QUOTED_SUBSTITUTION.test(node.text);
    // `${text@P}` runs the substitutions of its value.
    case "Transform":
      return node.operand.value.includes("P");
    case "Unknown":
    case "ExtendedGlob":
      return true;
    default:
      return false;
  }
}

/** Variables that hold code, or a function: `PS4`, `BASH_FUNC_f%%`; and the tables of bash's own names. */
function isCode(assignment: string): boolean {
  const value = assignment.slice(assignment.indexOf("=") + 1);
  return SUBSTITUTION.test(value) || /^\(\)/.test(value) || /^BASH_(?:ALIASES|CMDS)\b/.test(assignment);
}

/** What may run at another time than it is written, or more than once. */
export function isRepeating({ type }: SyntaxNode): boolean {
  return ["Function", "For", "ArithmeticFor", "Select", "While"].includes(type);
}

/** Variables that change how a program prints, not what it does. A rule need not name them. */
const HARMLESS =
  /^(?:CI|NODE_ENV|(?:NO|FORCE|CLICOLOR)_?COLOR|CLICOLOR|TERM|LANG|LC_[A-Z]+|TZ|RUST_BACKTRACE|PYTHONUNBUFFERED)=/;

export function isHarmless({ text }: ShellWord): boolean {
  return HARMLESS.test(text);
}
