/** Waits for a commit by anyone, a time, or a stop: never by looking again and again. */

import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";

/** A timer knows nothing of a wall clock that jumps, or of a machine that slept: a longer wait looks again in between. */
const LOOK_AGAIN_MS = 60_000;

/** Remembers that something was committed, so that no change between a look and the wait after it is missed. */
export interface Changes {
  /** Call before a look: what was committed until now is what the look sees. */
  clear(): void;
  /** Resolves when something was committed since `clear`, at `until` (wall clock), when a signal aborts, or after a minute. */
  wait(until: number, signals: AbortSignal[]): Promise<void>;
  /** Makes a wait end, now or when it begins. */
  wake(): void;
  close(): void;
}

export function watchChanges(store: Store, clock: Clock): Changes {
  let woken = new AbortController();
  const unwatch = store.watch(() => woken.abort());
  return {
    clear: () => {
      if (woken.signal.aborted) woken = new AbortController();
    },
    wait: async (until, signals) => {
      const any = AbortSignal.any([woken.signal, ...signals]);
      const ms = Math.max(0, Math.min(until - clock.now(), LOOK_AGAIN_MS));
      if (!any.aborted) await clock.sleep(ms, any);
    },
    wake: () => woken.abort(),
    close: unwatch,
  };
}
