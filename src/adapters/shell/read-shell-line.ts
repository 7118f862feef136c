/** Takes a command line apart into the simple commands that it would run, as far as that is known before it runs. */

import type { parse, SyntaxNode, Word } from "unbash";
import type { ShellCommand, ShellLine } from "../../core/policy/tool-rules.ts";

/** A longer line is no command that anybody reads. */
const LINE_CHARACTERS_MAX = 64 * 1024;

/** Shells inside shells. */
const DEPTH_MAX = 5;

/** Simple commands of one line, and words of one that starts another: beyond it is not looked. */
const COMMANDS_MAX = 1_000;
const WORDS_MAX = 200;

/** They run a script that stands in their arguments, or comes on their standard input. */
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);

/** They start what stands somewhere in their arguments. */
const STARTERS = new Set(
  "sudo doas env command builtin exec nohup nice ionice time timeout setsid stdbuf xargs find chroot unshare flock watch busybox".split(
    " ",
  ),
);

/** Never rejects: of what cannot be read, `isWhole` is false. The parser is only loaded when this is called. */
export async function readShellLine(line: string): Promise<ShellLine> {
  const unbash = await import("unbash");
  const reading = new Reading(unbash);
  reading.script(line, 0);
  return { commands: reading.commands, isWhole: reading.isWhole };
}

class Reading {
  readonly commands: ShellCommand[] = [];
  isWhole = true;
  readonly #unbash: { parse: typeof parse; forEachChild: typeof import("unbash").forEachChild };

  constructor(unbash: { parse: typeof parse; forEachChild: typeof import("unbash").forEachChild }) {
    this.#unbash = unbash;
  }

  script(text: string, depth: number): void {
    if (text.trim() === "" || text.length > LINE_CHARACTERS_MAX || depth > DEPTH_MAX) {
      this.isWhole = false;
      return;
    }
    const parsed = this.#unbash.parse(text);
    if (parsed.errors !== undefined && parsed.errors.length > 0) this.isWhole = false;
    this.#visit(parsed, depth);
  }

  #visit(node: SyntaxNode, depth: number): void {
    if (node.type === "Command" && node.name !== undefined) {
      const words = [node.name, ...node.args.map((arg) => (arg.type === "Word" ? arg : null))];
      const texts = words.map((word, index) => word?.value ?? (node.args[index - 1] as { text: string }).text);
      this.#command(texts, words.map(isKnown), depth);
    }
    this.#unbash.forEachChild(node, (child) => this.#visit(child, depth));
  }

  /** `known`: which of the words say before it runs what they are. */
  #command(words: string[], known: boolean[], depth: number): void {
    if (this.commands.length >= COMMANDS_MAX || words.length > WORDS_MAX) {
      this.isWhole = false;
      return;
    }
    const name = bareName(words[0]!);
    if (known[0] === false) this.isWhole = false;
    if (SHELLS.has(name)) {
      this.#shell(words, known, depth);
      return;
    }
    const also = words[0] === name ? [] : [[name, ...words.slice(1)].join(" ")];
    this.commands.push({ words: words.join(" "), also });
    if (name === "eval") this.#inner(words.slice(1).join(" "), known.every(Boolean), depth);
    else if (STARTERS.has(name)) this.#started(words, known, depth, also);
  }

  /** Which of the words begins what is started depends on the starter's options: each of them may. */
  #started(words: string[], known: boolean[], depth: number, also: string[]): void {
    if (!known.every(Boolean)) this.isWhole = false;
    for (let at = 1; at < words.length; at++) {
      const rest = words.slice(at);
      if (SHELLS.has(bareName(rest[0]!))) {
        this.#shell(rest, known.slice(at), depth);
        return;
      }
      also.push(rest.join(" "), [bareName(rest[0]!), ...rest.slice(1)].join(" "));
    }
  }

  /** Of `bash -c SCRIPT` only the script counts: some agents run every line so. Each word behind `-c` may be it. */
  #shell(words: string[], known: boolean[], depth: number): void {
    const flag = words.findIndex((word, index) => index > 0 && /^-[a-z]*c[a-z]*$/i.test(word));
    const isWord = (index: number): boolean => !/^[-+]/.test(words[index]!);
    const firstWord = words.findIndex((_, index) => index > 0 && isWord(index));
    const hasWordBefore = firstWord !== -1 && (flag === -1 || firstWord < flag);
    if (hasWordBefore || flag === -1)
      this.commands.push({ words: words.join(" "), also: [[bareName(words[0]!), ...words.slice(1)].join(" ")] });
    for (let at = flag + 1; flag !== -1 && at < words.length; at++)
      if (isWord(at)) this.#inner(words[at]!, known[at] === true, depth);
    // Its script comes on its standard input.
    if (firstWord === -1 || words.includes("-s")) this.isWhole = false;
  }

  #inner(script: string, isScriptKnown: boolean, depth: number): void {
    if (isScriptKnown) this.script(script, depth + 1);
    else this.isWhole = false;
  }
}

/** False where an expansion stands in it: what it is shows only when it runs. Null is an assignment, which stays what it is. */
function isKnown(word: Word | null): boolean {
  const parts = word?.parts ?? [];
  return parts.every((part) => {
    if (part.type === "DoubleQuoted") return part.parts.every(({ type }) => type === "Literal");
    return part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted";
  });
}

function bareName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
