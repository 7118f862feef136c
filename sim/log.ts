/** What happened in a simulation, line by line: two runs of a seed must tell the same. */

import type { VirtualClock } from "./clock.ts";

/** Lines that a failure shows. */
const SHOWN = 30;

export interface DealtFault {
  /** Milliseconds since the beginning. */
  at: number;
  text: string;
}

export class Log {
  readonly faults: DealtFault[] = [];
  lines = 0;
  /** Grows with every line (FNV-1a). */
  hash = 0x811c9dc5;
  readonly #clock: VirtualClock;
  readonly #last: string[] = [];
  readonly #echo: ((line: string) => void) | null;

  constructor(clock: VirtualClock, echo: ((line: string) => void) | null) {
    this.#clock = clock;
    this.#echo = echo;
  }

  write(text: string): void {
    const line = `${this.#clock.monotonic()} ${text}`;
    this.lines += 1;
    for (let i = 0; i < line.length; i++) this.hash = Math.imul(this.hash ^ line.charCodeAt(i), 0x01000193);
    this.#last.push(line);
    if (this.#last.length > 2 * SHOWN) this.#last.splice(0, SHOWN);
    this.#echo?.(line);
  }

  fault(text: string): void {
    this.faults.push({ at: this.#clock.monotonic(), text });
    this.write(`FAULT ${text}`);
  }

  last(): string[] {
    return this.#last.slice(-SHOWN);
  }
}
