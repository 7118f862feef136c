/** What nobody aborts. */
export const NEVER = new AbortController().signal;

/** Ends what is under way for a reason, and lets what comes after it go on again. */
export class Halt {
  #controller = new AbortController();

  /** Aborted by `now`, with the reason in words. What begins later takes the signal of that moment. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  now(why: string): void {
    this.#controller.abort(why);
  }

  /** A run that was paused goes on. */
  lift(): void {
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
  }
}
