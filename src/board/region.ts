/** The lines at the bottom of a terminal that are drawn in place, below everything that scrolls. */

import { textWidth } from "./cell-text.ts";
import type { Screen } from "./screen.ts";

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";

/** A line that turns out wider than we think is cut by the terminal instead of taking a second row. */
const KEEP_ROWS = "\u001b[?7l";
const BREAK_ROWS = "\u001b[?7h";

const ERASE_BELOW = "\u001b[J";

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours begin with it.
const COLOURS = /\u001b\[\d+m/g;

export class Region {
  readonly #screen: Screen;
  #lines: readonly string[] = [];
  #isOpen = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Shows these lines instead of the last ones; writes nothing when they are the same. */
  draw(lines: readonly string[]): void {
    if (this.#isOpen && lines.join("\n") === this.#lines.join("\n")) return;
    this.#screen.write(this.#begin() + this.#erase() + shown(lines));
    this.#lines = lines;
  }

  /** Lets `write` write whole lines that scroll above the region. */
  above(write: () => void): void {
    if (this.#isOpen) this.#screen.write(this.#erase());
    write();
    if (this.#isOpen) this.#screen.write(shown(this.#lines));
  }

  /** Leaves the lines where they are and gives the terminal back as it was; the next `draw` begins below. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#lines = [];
    this.#screen.write(BREAK_ROWS + SHOW_CURSOR);
  }

  /** Takes the lines away and gives the terminal back as it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#screen.write(this.#erase());
    this.leave();
  }

  #begin(): string {
    if (this.#isOpen) return "";
    this.#isOpen = true;
    return HIDE_CURSOR;
  }

  /** A terminal that has become narrower has broken the lines that no longer fit. */
  #erase(): string {
    const { columns } = this.#screen.size();
    const rows = this.#lines.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    return `\r${rows === 0 ? "" : `\u001b[${rows}A`}${ERASE_BELOW}`;
  }
}

function shown(lines: readonly string[]): string {
  return `${KEEP_ROWS}${lines.map((line) => `${line}\n`).join("")}${BREAK_ROWS}`;
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(textWidth(line.replace(COLOURS, "")) / columns));
}
