/** Keeps a region showing how a plan stands: looks at every change, and once a second while something runs. */

import type { Clock } from "../ports/clock.ts";
import { planFrame } from "./frame.ts";
import type { PlanFacts } from "./plan-facts.ts";
import type { Region } from "./region.ts";
import type { Screen } from "./screen.ts";
import { spansFrom } from "./time-text.ts";

/** Time that is shown moves on at this pace. */
const TICK_MS = 1_000;

/** What is shown of a plan that only waits for its time is told in minutes. */
const IDLE_TICK_MS = 30_000;

/** However much happens, nobody reads faster. */
const LOOK_MS_MIN = 200;

export interface LiveView {
  region: Region;
  screen: Screen;
  clock: Clock;
  look(): Promise<PlanFacts>;
  /** Remembers what happens between a look and the wait after it. */
  changes: { clear(): void; wait(until: number, signals: AbortSignal[]): Promise<void>; wake(): void };
  stopped: AbortSignal;
}

/** Draws until `stopped` aborts. */
export async function keepDrawn({ region, screen, clock, look, changes, stopped }: LiveView): Promise<void> {
  const forget = screen.onResize(changes.wake);
  try {
    while (!stopped.aborted) {
      changes.clear();
      const facts = await look();
      if (stopped.aborted) return;
      const now = clock.now();
      region.draw(frameOn(screen, facts, now));
      await clock.sleep(LOOK_MS_MIN, stopped);
      await changes.wait(now + tickOf(facts, now), [stopped]);
    }
  } finally {
    forget();
  }
}

/** One row stays free: there the cursor waits. */
function frameOn(screen: Screen, facts: PlanFacts, now: number): string[] {
  const { columns, rows } = screen.size();
  const height = Math.max(1, rows - 1);
  return planFrame(facts, { width: columns, height, moments: spansFrom(now), paint: screen.paint });
}

function tickOf({ active, due_at }: PlanFacts, now: number): number {
  const isNear = due_at !== null && due_at - now <= 2 * IDLE_TICK_MS;
  return active.length > 0 || isNear ? TICK_MS : IDLE_TICK_MS;
}
