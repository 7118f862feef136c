import { closeSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const CHUNK_BYTES = 64 * 1024;

/** Reads the whole lines of a file that grows. What its writer had not finished when it died is never a line. */
export class LineReader {
  readonly #file: string;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  readonly #decoder = new StringDecoder("utf8");
  #descriptor: number | null = null;
  #rest = "";

  constructor(file: string) {
    this.#file = file;
  }

  /** The next lines, at most one chunk of them; none when nothing new is there. */
  read(): string[] {
    this.#descriptor ??= openIfThere(this.#file);
    if (this.#descriptor === null) return [];
    const read = readSync(this.#descriptor, this.#chunk);
    if (read === 0) return [];
    const lines = (this.#rest + this.#decoder.write(this.#chunk.subarray(0, read))).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.length > 0 ? lines : this.read();
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
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
