/** What goes on beside the run's loop. The first failure among it is thrown at the loop's next look. */
export class LiveWork {
  readonly #running = new Set<Promise<void>>();
  readonly #wake: () => void;
  #failure: { error: unknown } | null = null;

  /** `wake` is called whenever some of it has ended and there may be something new to do. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Takes on work that goes on by itself. It answers whether it changed anything. */
  begin(work: Promise<boolean>): void {
    const watched: Promise<void> = work.then(
      (changed) => this.#ended(watched, changed),
      (error: unknown) => {
        this.#failure ??= { error };
        this.#ended(watched, true);
      },
    );
    this.#running.add(watched);
  }

  /** Throws the first failure, once. */
  check(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure.error;
  }

  /** Resolves when nothing of it goes on any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.check();
  }

  #ended(work: Promise<void>, changed: boolean): void {
    this.#running.delete(work);
    if (changed) this.#wake();
  }
}
