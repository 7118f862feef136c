/** What a command line opens by itself: the targets of its redirections, and where relative ones may lie. */

import type { Redirect } from "unbash";
import type { ShellOpening } from "../../core/policy/tool-rules.ts";
import { isKnown, type ShellWord, wordOf } from "./shell-word.ts";

/** Places in which a line may be at once, by `cd` after `cd`: nobody writes more. */
const PLACES_MAX = 16;

/** Redirections of one line. */
const OPENED_MAX = 1_000;

/** They lead to what is open already, or to nothing. */
const NO_FILE = /^\/dev\/(?:null|std(?:in|out|err)|tty|fd\/\d+)$/;

const SOCKET = /^\/dev\/(tcp|udp)\/([^/]+)\/([^/]+)$/;

interface Opened {
  kind: "read" | "write";
  path: string | null;
  places: readonly string[];
  /** It may happen later than it is written, or more than once. */
  isRepeated: boolean;
  /** Changes of the place until then. */
  moves: number;
}

export class Openings {
  readonly #opened: Opened[] = [];
  /** Relative to where the line begins. */
  #places: readonly string[] = [""];
  #moves = 0;
  #isLost = false;

  redirected({ operator, target }: Redirect, isRepeated: boolean): void {
    if (target === undefined || operator === "<&") return;
    // A program that reads or writes through a pipe: it is seen by itself.
    if (target.parts?.length === 1 && target.parts[0]!.type === "ProcessSubstitution") return;
    const word = wordOf(target);
    if (operator === ">&" && /^(?:\d+-?|-)$/.test(word.text)) return;
    if (operator === "<" || operator === "<>") this.opened("read", word, isRepeated);
    if (operator !== "<") this.opened("write", word, isRepeated);
  }

  opened(kind: "read" | "write", word: ShellWord, isRepeated: boolean): void {
    const path = isPath(word) ? word.text : null;
    if (path !== null && NO_FILE.test(path)) return;
    if (this.#opened.length >= OPENED_MAX) this.unknown();
    else this.#opened.push({ kind, path, places: this.#places, isRepeated, moves: this.#moves });
  }

  /** The line has a part that nobody can read. */
  unknown(): void {
    const nowhere = { path: null, places: [], isRepeated: false, moves: 0 };
    for (const kind of ["write", "read"] as const)
      if (!this.#opened.some((opened) => opened.kind === kind && opened.path === null))
        this.#opened.push({ kind, ...nowhere });
  }

  /** `words` are those of `cd` or `pushd`. It may fail, so the line may also stay where it is. */
  moved(words: readonly ShellWord[], isRepeated: boolean): void {
    this.#moves++;
    const to = words.slice(1).find(({ text }) => !/^-(?:[PLe@]+|-)$/.test(text));
    if (isRepeated || to === undefined || !isPath(to) || /^[-+]/.test(to.text)) {
      this.#isLost = true;
      return;
    }
    const reached = this.#places.map((place) => joined(place, to.text));
    this.#places = [...new Set([...this.#places, ...reached])];
    if (this.#places.length > PLACES_MAX) this.#isLost = true;
  }

  all(): ShellOpening[] {
    return this.#opened.flatMap(({ kind, path, places, isRepeated, moves }): ShellOpening[] => {
      if (path === null) return [{ kind, about: null }];
      const [, protocol, host, port] = SOCKET.exec(path) ?? [];
      if (protocol !== undefined) return [{ kind: "fetch", about: `${protocol}://${host}:${port}` }];
      if (path.startsWith("/")) return [{ kind, about: path }];
      if (this.#isLost || (isRepeated && moves !== this.#moves)) return [{ kind, about: null }];
      return places.map((place) => ({ kind, about: joined(place, path) }));
    });
  }
}

/** A tilde is a home that is not known here, a pattern what there is. */
function isPath(word: ShellWord): boolean {
  return isKnown(word) && !word.hasPattern && !word.raw.startsWith("~") && word.text !== "";
}

function joined(place: string, path: string): string {
  return path.startsWith("/") || place === "" ? path : `${place}/${path}`;
}
