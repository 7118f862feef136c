/** Mulberry32: the same numbers for the same seed, so that what failed can be run again. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of them; there must be one. */
export function oneOf<T>(next: () => number, all: readonly T[]): T {
  return all[Math.floor(next() * all.length)]!;
}
