/** What was asked of the store in one moment, so that it is asked once. */

interface Moment {
  state: { events: readonly unknown[] };
  clock: { now(): number };
}

/** Answers of one moment: nothing was committed since, and no time has passed. Rows are values, so all may share them. */
export class Asked {
  #events = 0;
  #now = 0;
  readonly #answers = new Map<string, Promise<unknown>>();

  once({ state, clock }: Moment, key: string, ask: () => Promise<unknown>): Promise<unknown> {
    const now = clock.now();
    if (state.events.length !== this.#events || now !== this.#now) {
      this.#events = state.events.length;
      this.#now = now;
      this.#answers.clear();
    }
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = ask();
    this.#answers.set(key, answer);
    return answer;
  }
}
