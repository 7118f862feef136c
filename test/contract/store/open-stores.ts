/** Every adapter of the store, opened fresh for one test. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { memoryStore } from "../../../src/adapters/store/memory/memory-store.ts";
import { openSqliteStore } from "../../../src/adapters/store/sqlite/sqlite-store.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Store } from "../../../src/ports/store.ts";
import { NOW } from "../../fixtures/loaded.ts";

export interface ManualClock extends Clock {
  time: number;
}

export function manualClock(): ManualClock {
  const clock: ManualClock = {
    time: NOW,
    now: () => clock.time,
    monotonic: () => clock.time,
    sleep: async () => {},
  };
  return clock;
}

export interface OpenStore {
  store: Store;
  clock: ManualClock;
}

/** A directory that is removed with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-store-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export const STORES: { name: string; open: () => Promise<OpenStore> }[] = [
  {
    name: "sqlite",
    open: async () => {
      const clock = manualClock();
      const store = await openSqliteStore(join(temporaryDirectory(), "store.db"), { clock });
      onTestFinished(() => store.close());
      return { store, clock };
    },
  },
  {
    name: "memory",
    open: async () => {
      const clock = manualClock();
      return { store: memoryStore({ clock }), clock };
    },
  },
];
