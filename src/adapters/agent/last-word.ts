/** An agent's terminal event: from then on it may only exit, and how it does changes nothing any more. */

/** How long it may take to exit by itself: it writes its conversation down meanwhile. */
export const EXIT_GRACE_MS = 10_000;

export class LastWord {
  readonly #stop: AbortSignal;
  readonly #asked: AbortSignal;
  readonly #graceMs: number;
  readonly #over = new AbortController();
  #grace: NodeJS.Timeout | null = null;
  #isOwn = false;

  /** `stop` aborts when somebody ends the agent, `asked` when somebody means to: it may be told so in words before. */
  constructor(stop: AbortSignal, graceMs: number = EXIT_GRACE_MS, asked: AbortSignal = stop) {
    this.#stop = stop;
    this.#asked = asked;
    this.#graceMs = graceMs;
  }

  /** Aborts when somebody ends the agent, or when waiting for its exit has no use any more. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#stop, this.#over.signal]);
  }

  /** It said how it ended before anybody told it to end: that counts. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** It has said how it ended. The first time counts. */
  said(): void {
    if (this.#grace !== null) return;
    this.#isOwn = !this.#asked.aborted;
    this.#grace = setTimeout(() => this.#over.abort(), this.#graceMs);
  }

  /** Waits no longer. */
  end(): void {
    this.#over.abort();
  }

  close(): void {
    if (this.#grace !== null) clearTimeout(this.#grace);
  }
}
