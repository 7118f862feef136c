import type { Clock } from "../ports/clock.ts";

/** Less is a clock that is kept right, or a look that took its time. */
const JUMP_MS_MIN = 5_000;

/** Notices that the wall clock was set, or that the machine slept: it moved against the time that passed. */
export class ClockWatch {
  readonly #clock: Clock;
  #apart: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#apart = clock.now() - clock.monotonic();
  }

  /** By how much it jumped since this was last asked, milliseconds, forward positive; null when it did not. */
  jumped(): number | null {
    const apart = this.#clock.now() - this.#clock.monotonic();
    const ms = Math.round(apart - this.#apart);
    this.#apart = apart;
    return Math.abs(ms) < JUMP_MS_MIN ? null : ms;
  }
}
