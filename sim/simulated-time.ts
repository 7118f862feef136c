/** Lets the product run on virtual time: nothing that is due later happens before all that can happen now has happened. */

import type { VirtualClock } from "./clock.ts";
import { LightController, LightSignal } from "./light-signals.ts";

/**
 * Calls `begin`, then one due thing after the other until `isDone`. What the memory store hands to the event loop runs
 * here too, in its order. It makes no copies meanwhile: rows are values that nobody changes; and signals are light ones.
 * All is put back at the end.
 */
export async function inSimulatedTime<T>(
  clock: VirtualClock,
  begin: () => Promise<T>,
  isDone: (begun: T) => boolean,
): Promise<void> {
  // Whoever called may be one of several things that node does before it looks at promises; from here on it is not.
  await new Promise((resolve) => globalThis.setImmediate(resolve));
  const { setImmediate, structuredClone, AbortController, AbortSignal } = globalThis;
  const kept = { setImmediate, structuredClone, AbortController, AbortSignal };
  const waiting: (() => void)[] = [];
  globalThis.setImmediate = ((act: () => void) => waiting.push(act)) as unknown as typeof setImmediate;
  globalThis.structuredClone = (value) => value;
  Object.assign(globalThis, { AbortController: LightController, AbortSignal: LightSignal });
  try {
    let begun: { value: T } | { error: unknown } | null = null;
    void begin().then(
      (value) => {
        begun = { value };
      },
      (error: unknown) => {
        begun = { error };
      },
    );
    for (;;) {
      await allPromises();
      const now = begun as { value: T } | { error: unknown } | null;
      if (now !== null && "error" in now) throw now.error;
      if (now !== null && isDone(now.value)) return;
      const act = waiting.shift();
      if (act !== undefined) act();
      else if (!clock.advance()) throw new Error("nothing will ever happen again");
    }
  } finally {
    Object.assign(globalThis, kept);
  }
}

/** Resolves when no promise that is settled has anything left to do: node runs what is next behind all of them. */
function allPromises(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
