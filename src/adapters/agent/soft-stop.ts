/** Asks an agent in words to end, before signals do. */

/** How long one such word may take to work: a healthy agent takes milliseconds. */
export const SOFT_STEP_MS = 2_500;

export interface SoftStop {
  /** Aborts when words have not helped. */
  signal: AbortSignal;
  close(): void;
}

/** When `asked` aborts, one step after the other is taken, each with `stepMs` to work in; then `signal` aborts. */
export function softStop(asked: AbortSignal, steps: readonly (() => void)[], stepMs: number = SOFT_STEP_MS): SoftStop {
  const hard = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  const go = (at: number): void => {
    const step = steps[at];
    if (step === undefined) hard.abort();
    else {
      step();
      timer = setTimeout(() => go(at + 1), stepMs);
    }
  };
  const begin = (): void => go(0);
  // One that is told to end before it began has nobody to be asked.
  if (asked.aborted) hard.abort();
  else asked.addEventListener("abort", begin, { once: true });
  return {
    signal: hard.signal,
    close: () => {
      asked.removeEventListener("abort", begin);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
