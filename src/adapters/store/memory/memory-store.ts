/** The store of one process, gone with it: the same decisions over plain maps. For tests, dry runs and simulation. */

import type { Envelope } from "../../../core/task/commands.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Store } from "../../../ports/store.ts";
import { loadIn } from "../plan-load.ts";
import { submitAllIn, submitIn } from "../submit.ts";
import { Journal } from "./journal.ts";
import { memoryReads } from "./memory-reads.ts";
import { memoryTables } from "./memory-tables.ts";
import type { MemoryState } from "./state.ts";
import { emptyState, keyOf } from "./state.ts";
import { verify } from "./verify.ts";

/** Rows go in and come out as copies, so that nobody outside holds a piece of the store. */
export function memoryStore({ clock, state = emptyState() }: { clock: Clock; state?: MemoryState }): Store {
  const journal = new Journal();
  const tables = memoryTables(state, journal);
  const listeners = new Set<() => void>();

  let waking = false;
  const wakeAll = (): void => {
    waking = false;
    for (const wake of [...listeners]) wake();
  };
  const transact = <T>(work: (now: number) => { answer: T; changed: boolean }): T => {
    const { answer, changed } = journal.transaction(() => work(clock.now()));
    if (changed && !waking) setImmediate(wakeAll);
    waking ||= changed;
    return structuredClone(answer);
  };
  const copyOf = (envelope: Envelope) => structuredClone(envelope);

  return {
    ...memoryReads(state, tables, clock),
    submit: async (command, envelope) =>
      transact((now) => submitIn(tables, structuredClone(command), copyOf(envelope), now)),
    submitAll: async (commands, { actor }) =>
      transact((now) => submitAllIn(tables, structuredClone(commands), { actor }, now)),
    load: async (command, envelope) =>
      transact((now) => loadIn(tables, structuredClone(command), copyOf(envelope), now)),

    cachedConfig: async (project, hash) => {
      const known = state.configs.get(project);
      return known?.hash === hash ? structuredClone(known.config) : null;
    },
    cacheConfig: async (project, hash, config) => {
      state.configs.set(project, { hash, config: structuredClone(config) });
    },
    setEngine: async (project, engine, running) => {
      const key = keyOf(project, engine.node);
      const known = state.engines.get(key);
      if (running) state.engines.set(key, structuredClone(engine));
      else if (known && known.boot === engine.boot && known.pid === engine.pid && known.start === engine.start)
        state.engines.delete(key);
    },
    engines: async (project) =>
      [...state.engines.entries()]
        .filter(([key]) => key.startsWith(keyOf(project, "")))
        .map(([, engine]) => structuredClone(engine))
        .sort((a, b) => (a.node < b.node ? -1 : 1)),

    watch: (wake) => {
      const listener = () => wake();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    verify: async () => verify(state),
    unreadable: async () => [],
    close: async () => listeners.clear(),
  };
}
