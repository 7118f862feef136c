/** What nobody aborts. */
export const NEVER = new AbortController().signal;

/** Why what is under way has to end. */
export interface Ending {
  why: string;
  /** Killed without being asked to end first. */
  at_once: boolean;
}

/** Ends what is under way for a reason, and lets what comes after it go on again. */
export class Halt {
  #controller = new AbortController();

  /** Aborted by `now`, with the `Ending` as its reason. What begins later takes the signal of that moment. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  now(why: string, atOnce = false): void {
    const ending: Ending = { why, at_once: atOnce };
    this.#controller.abort(ending);
  }

  /** A run that was paused goes on. */
  lift(): void {
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
  }
}

/** A signal that was aborted from the beginning. */
export function halted(why: string): AbortSignal {
  const halt = new Halt();
  halt.now(why);
  return halt.signal;
}

/** What a `Halt` was told; null as long as it was told nothing. */
export function endingOf(signal: AbortSignal): Ending | null {
  return signal.aborted ? (signal.reason as Ending) : null;
}
