import { closeSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const CHUNK_BYTES = 64 * 1024;

/** Far longer than any line of lockstep's own: what is longer is junk, and is not kept in memory. */
export const LINE_CHARACTERS_MAX = 1024 * 1024;

/** Reads the whole lines of a file that grows. What its writer had not finished when it died is never a line. */
export class LineReader {
  readonly #file: string;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  readonly #decoder = new StringDecoder("utf8");
  #descriptor: number | null = null;
  #rest = "";
  #isTooLong = false;
  #dropped = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Lines that were left out because they were too long. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The next lines, at most one chunk of them; none when nothing new is there. Throws what the system says of the file. */
  read(): string[] {
    this.#descriptor ??= openIfThere(this.#file);
    if (this.#descriptor === null) return [];
    for (;;) {
      const read = readSync(this.#descriptor, this.#chunk);
      if (read === 0) return [];
      const lines = this.#linesOf(this.#decoder.write(this.#chunk.subarray(0, read)));
      if (lines.length > 0) return lines;
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #linesOf(text: string): string[] {
    const lines = text.split("\n");
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() ?? "";
    if (lines.length > 0) {
      // The end of a line whose beginning was too long already is none.
      if (this.#isTooLong) lines.shift();
      this.#isTooLong = false;
    }
    if (this.#rest.length > LINE_CHARACTERS_MAX && !this.#isTooLong) {
      this.#dropped += 1;
      this.#isTooLong = true;
    }
    if (this.#isTooLong) this.#rest = "";
    const short = lines.filter(({ length }) => length <= LINE_CHARACTERS_MAX);
    this.#dropped += lines.length - short.length;
    return short;
  }
}

function openIfThere(file: string): number | null {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
