/** Takes a command line apart into the simple commands that it would run, as far as that is known before it runs. */

import type { Command, parse, SyntaxNode } from "unbash";
import type { ShellCommand, ShellLine } from "../../core/policy/tool-rules.ts";
import { Openings } from "./openings.ts";
import { assignmentOf, bareName, isKnown, quotedAgain, type ShellWord, wordOf } from "./shell-word.ts";
import { startedBy, startedByFind } from "./starters.ts";
import { hasHiddenCode, isHarmless, isRepeating, runsText, SHELLS, STRANGE_SHELLS, shellCall } from "./unwritten.ts";

/** A longer line is no command that anybody reads. */
const LINE_CHARACTERS_MAX = 64 * 1024;

/** Of all scripts in scripts together: some ten milliseconds. */
const READ_CHARACTERS_MAX = 512 * 1024;

/** Shells inside shells. */
const DEPTH_MAX = 5;

/** Simple commands of one line, and words of one of them: beyond it is not looked. */
const COMMANDS_MAX = 1_000;
const WORDS_MAX = 200;

/** A word that sets a variable, and what it is set to. */
const ASSIGNED = /^[A-Za-z_][^=\s]*=(.+)$/s;

type Unbash = { parse: typeof parse; forEachChild: typeof import("unbash").forEachChild };

/** Never rejects: of what cannot be read, `isWhole` is false. The parser is only loaded when this is called. */
export async function readShellLine(line: string): Promise<ShellLine> {
  const reading = new Reading(await import("unbash"));
  reading.script(line, 0);
  return { commands: reading.commands, openings: reading.openings.all(), isWhole: reading.isWhole };
}

class Reading {
  readonly commands: ShellCommand[] = [];
  readonly openings = new Openings();
  isWhole = true;
  readonly #unbash: Unbash;
  /** What the line gives other names to. */
  readonly #aliases = new Map<string, string>();
  /** Depth in what may run later than it is written, or more than once. */
  #repeats = 0;
  #charactersLeft = READ_CHARACTERS_MAX;

  constructor(unbash: Unbash) {
    this.#unbash = unbash;
  }

  script(text: string, depth: number): void {
    this.#charactersLeft -= text.length;
    const isTooMuch = text.length > LINE_CHARACTERS_MAX || this.#charactersLeft < 0;
    if (text.trim() === "" || isTooMuch || depth > DEPTH_MAX) {
      this.#unread();
      return;
    }
    const parsed = this.#unbash.parse(text);
    if (parsed.errors !== undefined && parsed.errors.length > 0) this.#unread();
    this.#visit(parsed, depth);
  }

  #visit(node: SyntaxNode, depth: number): void {
    if (hasHiddenCode(node)) this.#unread();
    if (node.type === "Command") this.#simple(node, depth);
    if (node.type === "Redirect") this.openings.redirected(node, this.#repeats > 0);
    const visitChildren = (): void => this.#unbash.forEachChild(node, (child) => this.#visit(child, depth));
    if (isRepeating(node)) this.#repeated(visitChildren);
    else visitChildren();
  }

  #repeated(read: () => void): void {
    this.#repeats++;
    read();
    this.#repeats--;
  }

  #simple({ name, prefix, args }: Command, depth: number): void {
    const assigned = prefix.flatMap((part) => (part.type === "Assignment" ? [assignmentOf(part)] : []));
    const words = args.map((arg) => (arg.type === "Word" ? wordOf(arg) : assignmentOf(arg)));
    if (name !== undefined) this.#command([wordOf(name), ...words], depth, assigned);
    // What a later command means may hang on it: it is a command of its own.
    else for (const each of assigned) this.#add([each], []);
  }

  #command(words: readonly ShellWord[], depth: number, assigned: readonly ShellWord[] = []): void {
    if (this.commands.length >= COMMANDS_MAX || words.length > WORDS_MAX) {
      this.#unread();
      return;
    }
    const [program] = words as [ShellWord];
    const name = bareName(program.text);
    if (!isKnown(program) || program.hasPattern) this.isWhole = false;
    if (SHELLS.has(name)) {
      this.#shell(words, depth, assigned);
      return;
    }
    const also = this.#add(words, assigned);
    if (STRANGE_SHELLS.has(name) || runsText(name, words)) this.#unread();
    if (name === "find") this.#found(words, depth);
    this.#start(name, words, depth, also);
    this.#builtin(name, words, depth);
    this.#aliased(name, words, depth);
  }

  /** Gives the list of what the command may be as well. */
  #add(words: readonly ShellWord[], assigned: readonly ShellWord[]): string[] {
    const telling = assigned.filter((each) => !isHarmless(each));
    const own = textOf([...telling, ...words]);
    const raw = [...telling, ...words].map((word) => word.raw).join(" ");
    const set = [...assigned, ...words].flatMap(({ text }) => ASSIGNED.exec(text)?.[1] ?? []);
    const isAnyUnknown = ![...telling, ...words].every(isKnown);
    const others = new Set([textOf(words), bareTextOf(words), ...(isAnyUnknown ? [raw] : []), ...set]);
    others.delete(own);
    const also = [...others];
    this.commands.push({ words: own, also });
    return also;
  }

  /** Where it is not clear which of the words begins what is started, each may. */
  #start(name: string, words: readonly ShellWord[], depth: number, also: string[]): void {
    const started = startedBy(name, words);
    if (started === null) return;
    if (started !== "unclear") {
      if (started.words.length > 0) this.#command(started.words, depth, started.assigned);
      return;
    }
    this.#unread();
    const others = new Set<string>();
    for (let at = 1; at < words.length; at++) {
      const rest = words.slice(at);
      if (SHELLS.has(bareName(rest[0]!.text))) {
        this.#shell(rest, depth, []);
        break;
      }
      others.add(textOf(rest)).add(bareTextOf(rest));
    }
    also.push(...others);
  }

  #found(words: readonly ShellWord[], depth: number): void {
    const { commands, isClear } = startedByFind(words);
    if (!isClear) this.isWhole = false;
    for (const command of commands) this.#command(command, depth);
  }

  #builtin(name: string, words: readonly ShellWord[], depth: number): void {
    const args = words.slice(1);
    if (name === "cd" || name === "chdir" || name === "pushd") this.openings.moved(words, this.#repeats > 0);
    if (name === "eval" && args.length > 0) this.#inner({ ...args[0]!, text: textOf(args) }, depth);
    if (name === "source" || name === ".") this.#file(args[0]);
    if (name === "alias") for (const arg of args) this.#alias(arg, depth);
    if (name === "hash" && args[0]?.text === "-p" && args.length === 3)
      this.#alias({ ...args[1]!, text: `${args[2]!.text}=${args[1]!.text}` }, depth);
    if (name !== "trap") return;
    const [text, ...signals] = args.filter((arg) => arg.text !== "--");
    if (text === undefined || signals.length === 0 || text.text === "" || /^-[lp]?$/.test(text.text)) return;
    this.#repeated(() => this.#inner(text, depth));
  }

  #alias(word: ShellWord, depth: number): void {
    const at = word.text.indexOf("=");
    if (at === -1) return;
    const [name, value] = [word.text.slice(0, at), word.text.slice(at + 1)];
    this.#aliases.set(name, value);
    this.#repeated(() => this.#inner({ ...word, text: value }, depth));
  }

  /** A name means itself within what it is another name for. */
  #aliased(name: string, words: readonly ShellWord[], depth: number): void {
    const value = this.#aliases.get(name);
    if (value === undefined || name === "alias") return;
    this.#aliases.delete(name);
    this.script(`${value} ${quotedAgain(words.slice(1))}`, depth + 1);
    this.#aliases.set(name, value);
  }

  /** Of `bash -c SCRIPT` only the script counts: some agents run every line so. */
  #shell(words: readonly ShellWord[], depth: number, assigned: readonly ShellWord[]): void {
    const { flag, firstWord, scripts } = shellCall(words);
    const hasWordBefore = firstWord !== -1 && (flag === -1 || firstWord < flag);
    if (hasWordBefore || flag === -1 || !assigned.every(isHarmless)) this.#add(words, assigned);
    for (const script of scripts) this.#inner(script, depth);
    // Its script comes on its standard input, or it shows only when it runs whether there is one.
    if (firstWord === -1 || words.some(({ text }) => text === "-s")) this.#unread();
    else if (flag === -1) this.#file(words[firstWord]);
    if (!words.slice(0, flag === -1 ? words.length : flag).every(isKnown)) this.#unread();
  }

  /** A script in a file is a program like any other, unless it comes from elsewhere. */
  #file(word: ShellWord | undefined): void {
    if (word === undefined || !isKnown(word) || word.hasPattern || /^\/(?:dev|proc)\//.test(word.text)) this.#unread();
  }

  #inner(script: ShellWord, depth: number): void {
    if (isKnown(script)) this.script(script.text, depth + 1);
    else this.#unread();
  }

  /** It has a part that may run and open anything. */
  #unread(): void {
    this.isWhole = false;
    this.openings.unknown();
  }
}

function textOf(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(" ");
}

function bareTextOf([program, ...args]: readonly ShellWord[]): string {
  // A variable that is set to a path is no program.
  if (ASSIGNED.test(program!.text)) return textOf([program!, ...args]);
  return [bareName(program!.text), ...args.map(({ text }) => text)].join(" ");
}
