/** The store as one process sees it: slow at times, unusable at times, and silent once the process is dead. */

import type { RowCommand } from "../src/core/task/commands.ts";
import { type Store, StoreUnavailable } from "../src/ports/store.ts";
import type { Mortal } from "./mortal.ts";
import type { Oracles } from "./oracles.ts";

/** A commit reaches who watches within this time, and seldom only by the look of once a second. */
const WAKE_MS = 150;
const LATE_WAKE_MS = 1_000;
const LATE_WAKES = 0.03;

const WRITES = new Set(["submit", "submitAll", "load", "setEngine", "cacheConfig"]);

/** `isBusy` is asked before each write: true lets it fail as a store does that others keep for too long. */
export function storeFor(mortal: Mortal, oracles: Oracles, isBusy: () => boolean): Store {
  const { world } = mortal;
  const base = world.store;
  const write = async <T>(name: string, commands: readonly RowCommand[], act: () => Promise<T>): Promise<T> =>
    mortal.call(`store.${name} ${commands.map(({ type }) => type).join(" + ")}`.trim(), "write", async () => {
      if (isBusy()) throw new StoreUnavailable("busy", "the database is locked", "Try again.");
      const held = commands.map((command) => oracles.before(command));
      const answer = await act();
      for (const [index, command] of commands.entries()) oracles.after(command, held[index]!, answer as never);
      world.committed();
      return answer;
    });
  const own: Partial<Store> = {
    submit: (command, envelope) => write("submit", [command], () => base.submit(command, envelope)),
    submitAll: (commands, envelope) => write("submitAll", commands, () => base.submitAll(commands, envelope)),
    load: (command, envelope) => write("load", [], () => base.load(command, envelope)),
    graph: (plan) => base.graph(plan),
    watch: (wake) => watch(mortal, wake),
    close: async () => {},
  };
  const calls = new Map<string, unknown>(Object.entries(own));
  return new Proxy(base, {
    get(target, name: string) {
      const known = calls.get(name);
      if (known !== undefined) return known;
      const found = target[name as keyof Store] as (...args: unknown[]) => Promise<unknown>;
      const pace = WRITES.has(name) ? "write" : "read";
      const call = (...args: unknown[]) =>
        mortal.call(`store.${name}`, pace, () =>
          REPEATED.has(name)
            ? world.asked.once(world, `${name} ${args.join(" ")}`, () => found(...args))
            : found(...args),
        );
      calls.set(name, call);
      return call;
    },
  });
}

/** Reads that one look makes several times over, all of whose answer stands in rows that only events change. */
const REPEATED = new Set(["summary", "ready", "gateRows", "holds", "nextDue", "runOut", "task"]);

function watch(mortal: Mortal, wake: () => void): () => void {
  const { world, random } = mortal;
  let isComing = false;
  const unwatch = world.store.watch(() => {
    if (isComing) return;
    isComing = true;
    const ms = random.chance(LATE_WAKES) ? LATE_WAKE_MS : random.between(0, WAKE_MS);
    world.clock.after(ms, () => {
      isComing = false;
      if (!mortal.isDead) wake();
    });
  });
  mortal.atEnd.push(unwatch);
  return unwatch;
}
