/** Locks that the kernel frees when their holder dies. */

export class Locks {
  readonly #held = new Map<string, string>();

  /** Null while another process has it. */
  take(key: string, holder: string): (() => void) | null {
    if (this.#held.has(key)) return null;
    this.#held.set(key, holder);
    return () => {
      if (this.#held.get(key) === holder) this.#held.delete(key);
    };
  }

  held(): string[] {
    return [...this.#held].map(([key, holder]) => `${key} by ${holder}`);
  }
}
