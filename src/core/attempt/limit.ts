/** How long whatever a limit holds waits where nobody says when it is over: longer each time that waiting did not help. */
const LIMIT_DELAYS_MS = [60_000, 300_000, 900_000, 3_600_000] as const;

/** What a limit is called whose agent has no words for it. */
export const LIMIT_REACHED = "a limit was reached";

/** `count`: limits one after the other, this one included, from 1. */
export function limitDelay(count: number): number {
  return LIMIT_DELAYS_MS[Math.min(count, LIMIT_DELAYS_MS.length) - 1]!;
}
