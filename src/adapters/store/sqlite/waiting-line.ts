/**
 * Who waits to write, in a small file beside the store that all processes share. It is courtesy alone: what keeps writers
 * apart is SQLite's own lock, which goes to whoever happens to ask when it comes free.
 */

import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";

/** Each process has the place of its id. Two that share one may overtake each other, and nothing else comes of it. */
const PLACES = 256;
/** Two numbers a place: since when its process waits, and when it last looked (ms of the machine's clock); 0 is nobody. */
const NUMBERS_PER_PLACE = 2;
const BYTES_PER_PLACE = NUMBERS_PER_PLACE * Float64Array.BYTES_PER_ELEMENT;

/** Whoever has not looked for so long (ms) is dead or held up, and is passed by. */
const GONE_MS = 50;
/** So much of a wait more: on a machine where all are held up, who has waited long would be passed by again and again. */
const GONE_SHARE = 0.25;

export class WaitingLine {
  private readonly file: string;
  private readonly place: number;
  private readonly line = new Float64Array(PLACES * NUMBERS_PER_PLACE);
  private opened: number | null | undefined;
  private isStanding = false;

  constructor(file: string, place: number = process.pid) {
    this.file = file;
    this.place = place % PLACES;
  }

  /** How many others wait that came before `since`. */
  ahead(since: number, now: number): number {
    const descriptor = this.descriptor();
    if (descriptor === null) return 0;
    const { line } = this;
    const numbers = readSync(descriptor, line, 0, line.byteLength, 0) / Float64Array.BYTES_PER_ELEMENT;
    let ahead = 0;
    for (let i = 0; i + 1 < numbers; i += NUMBERS_PER_PLACE) {
      const [came, looked] = [line[i]!, line[i + 1]!];
      const silentMs = now - looked;
      // What stands there from before the machine was started anew may lie in the future.
      const waits = silentMs >= 0 && silentMs < GONE_MS + GONE_SHARE * (looked - came);
      if (came > 0 && came < since && waits) ahead += 1;
    }
    return ahead;
  }

  /** Waits in line since then; said again at every look. */
  stand(since: number, now: number): void {
    this.put(since, now);
    this.isStanding = true;
  }

  /** Nothing is written by who did not have to wait. */
  leave(): void {
    if (this.isStanding) this.put(0, 0);
    this.isStanding = false;
  }

  close(): void {
    if (typeof this.opened === "number") closeSync(this.opened);
    this.opened = null;
  }

  private put(...numbers: [since: number, now: number]): void {
    const descriptor = this.descriptor();
    if (descriptor !== null)
      writeSync(descriptor, Float64Array.from(numbers), 0, BYTES_PER_PLACE, this.place * BYTES_PER_PLACE);
  }

  /** Null where the file cannot be had: then nobody is waited for, and the store itself says what is wrong with the place. */
  private descriptor(): number | null {
    if (this.opened === undefined) this.opened = this.open();
    return this.opened;
  }

  private open(): number | null {
    try {
      return openSync(this.file, constants.O_RDWR | constants.O_CREAT, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return null;
    }
  }
}

/** Milliseconds of a clock that all processes of this machine share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
