/** What the agent is to know while it works, until it has been told. */

/** An attempt is told of a handful of conflicts; whoever sends more is broken. */
const SAID_MAX = 200;

export class Notices {
  readonly #said = new Set<string>();
  #current: string[] = [];
  #listener: () => void = () => {};

  /** All that holds now: what no longer does is not told any more. */
  set(messages: readonly string[]): void {
    this.#current = [...messages];
    if (this.#untold().length > 0) this.#listener();
  }

  /** What it has not been told yet; from now on it has. */
  take(): string[] {
    const untold = this.#untold();
    for (const message of untold) this.#said.add(message);
    return untold;
  }

  on(listener: () => void): void {
    this.#listener = listener;
  }

  #untold(): string[] {
    return this.#said.size >= SAID_MAX ? [] : this.#current.filter((message) => !this.#said.has(message));
  }
}
