/** A longer line is no event of any agent, and must not fill the memory. */
export const LINE_BYTES_MAX = 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Never fatal: bytes that are no UTF-8 become replacement characters. */
const decoder = new TextDecoder("utf-8");

/**
 * Makes lines of bytes that arrive in pieces. A line is decoded when it is whole, so no character is ever split; of one
 * above 1 MiB, unless another bound is given, the beginning is kept and `leftOut` says how many bytes it lacks.
 */
export class LineSplitter {
  private readonly hear: (line: string, leftOut: number) => void;
  private readonly bytesMax: number;
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private leftOut = 0;

  constructor(hear: (line: string, leftOut: number) => void, bytesMax = LINE_BYTES_MAX) {
    this.hear = hear;
    this.bytesMax = bytesMax;
  }

  /** The bytes may be overwritten afterwards. */
  take(bytes: Buffer): void {
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to !== -1; to = bytes.indexOf(NEWLINE, from)) {
      this.keep(bytes.subarray(from, to));
      this.tell();
      from = to + 1;
    }
    this.keep(bytes.subarray(from));
  }

  /** Bytes that will not come: the line under way lacks them, and whatever lines they held. */
  skip(bytes: number): void {
    this.leftOut += bytes;
    this.tell();
  }

  /** Tells a last line that has no newline. */
  end(): void {
    if (this.keptBytes > 0 || this.leftOut > 0) this.tell();
  }

  private keep(bytes: Buffer): void {
    const room = this.leftOut > 0 ? 0 : this.bytesMax - this.keptBytes;
    const fits = bytes.subarray(0, room);
    if (fits.length > 0) this.kept.push(Buffer.from(fits));
    this.keptBytes += fits.length;
    this.leftOut += bytes.length - fits.length;
  }

  private tell(): void {
    const bytes = Buffer.concat(this.kept);
    const leftOut = this.leftOut;
    this.kept.length = 0;
    this.keptBytes = 0;
    this.leftOut = 0;
    const end = bytes.at(-1) === RETURN && leftOut === 0 ? -1 : undefined;
    this.hear(decoder.decode(bytes.subarray(0, end)), leftOut);
  }
}
