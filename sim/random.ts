/** Everything that happens by chance in a simulation comes from here, so that a seed tells all of it. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 0;
  }

  /** At least 0, below 1 (Mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` to `to`, both of them possible. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(of: readonly T[]): T {
    const found = of[Math.floor(this.next() * of.length)];
    if (found === undefined) throw new Error("there is nothing to pick from");
    return found;
  }

  /** One of the names, each as likely as its weight says. */
  weighted<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries.at(-1)![0];
  }

  /** Another source, independent of how much is drawn from this one later. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }
}
