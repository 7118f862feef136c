/** What tokens cost whose agent does not say. There are no prices of lockstep's own: they would soon be wrong. */

import type { Usage } from "../task/rows.ts";

/** US dollars for a million tokens of each bucket; null: not known. */
export type Price = Record<keyof Usage, number | null>;

const MILLION = 1_000_000;

export const BUCKETS = ["input", "output", "cache_read", "cache_write"] as const satisfies readonly (keyof Usage)[];

/** US dollars; null where any of it has no price. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  let sum = 0;
  for (const bucket of BUCKETS) {
    const each = price?.[bucket] ?? null;
    const count = usage[bucket] ?? 0;
    if (count === 0) continue;
    if (each === null) return null;
    sum += (count * each) / MILLION;
  }
  return sum;
}

/** Of nobody who has told anything yet. */
export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: null, cache_write: null };

export function plus(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: plusTold(a.cache_read, b.cache_read),
    cache_write: plusTold(a.cache_write, b.cache_write),
  };
}

function plusTold(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}
