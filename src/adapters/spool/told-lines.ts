/** The lines that a runner tells. What the disk does not take is kept, and written when it takes it again. */

import { appendFileSync } from "node:fs";

/** A disk that is full for long: beyond this, whoever tells is told that it cannot. */
const KEPT_MAX = 10_000;

export class ToldLines {
  readonly #file: string;
  #lines = 0;
  #kept: string[] = [];
  #isTorn = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds the line that is made of its number, and answers the number. Throws what the system says when too many are kept. */
  add(line: (n: number) => string): number {
    const text = line(this.#lines + 1);
    if (this.#kept.length >= KEPT_MAX) this.flush();
    this.#lines += 1;
    this.#kept.push(text);
    try {
      this.flush();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    }
    return this.#lines;
  }

  /** Writes what is kept. Throws what the system says; then it is kept on. */
  flush(): void {
    if (this.#kept.length === 0) return;
    // Of the last write a part may stand there: it is made a line of its own, which is none. A line that was whole is told twice, by its number.
    const text = `${this.#isTorn ? "\n" : ""}${this.#kept.join("\n")}\n`;
    this.#isTorn = true;
    appendFileSync(this.#file, text, { mode: 0o600 });
    this.#isTorn = false;
    this.#kept = [];
  }
}
