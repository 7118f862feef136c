/** What a runner and its engines leave for each other, and the engine's side of it. */

import type { ProcessIdentity } from "../src/ports/processes.ts";
import type { AttemptName, LiveRunner, RunnerEnd, RunnerEvent, RunnerOrder, Runners } from "../src/ports/runner.ts";
import type { Mortal } from "./mortal.ts";
import type { Oracles } from "./oracles.ts";
import { RunnerLife } from "./runner-life.ts";
import { type Spool, spoolKey } from "./spool.ts";

/** A death changes no file, so the runner is looked at this often. */
const LOOK_MS = 1_000;
const EXIT_WAIT_MS = 2_000;

export const LOST: RunnerEnd = {
  outcome: "lost",
  error: "its runner died",
  summary: null,
  usage: null,
  cost_usd: null,
};

/** `agents`: names of the configured ones. */
export function runnersFor(mortal: Mortal, oracles: Oracles, agents: readonly string[]): Runners {
  return {
    host: (agent) =>
      agent !== null && agents.includes(agent) ? { start: (order) => start(mortal, oracles, order) } : null,
    adopt: (attempt) =>
      mortal.call("runners.adopt", "write", () => {
        const spool = spoolOf(mortal, attempt);
        spool.claim ??= "given_up";
        return spool.claim === "given_up" ? null : liveRunner(mortal, spool, null);
      }),
    leavePlace: async () => {},
  };
}

async function start(mortal: Mortal, oracles: Oracles, { attempt, brief }: RunnerOrder): Promise<LiveRunner> {
  const { world } = mortal;
  const spool = await mortal.call("runner.start (spool)", "write", () => {
    const made = spoolOf(mortal, attempt);
    made.brief = brief;
    return made;
  });
  const runner = await mortal.call("runner.start (spawn)", "write", () => {
    const { node } = mortal.process.identity;
    // Of an attempt that is another's by now no agent is started.
    if (!oracles.spawned(attempt, mortal.process)) spool.brief = null;
    return new RunnerLife(world, oracles, node, spool).process.identity;
  });
  return liveRunner(mortal, spool, runner);
}

function spoolOf({ world, process }: Mortal, attempt: AttemptName): Spool {
  const key = spoolKey(process.identity.node, attempt);
  const known = world.spools.get(key);
  if (known !== undefined) return known;
  const made: Spool = {
    attempt,
    brief: null,
    claim: null,
    lines: [],
    controls: [],
    done: null,
    agent: null,
    heardAt: world.clock.monotonic(),
    engines: new Set(),
    heed: () => {},
  };
  world.spools.set(key, made);
  return made;
}

/** `started`: the process that this very engine started; an adopted one is known by its claim alone. */
function liveRunner(mortal: Mortal, spool: Spool, started: ProcessIdentity | null): LiveRunner {
  const { machines, clock } = mortal.world;
  const identity = (): ProcessIdentity | null => started ?? (typeof spool.claim === "object" ? spool.claim : null);
  const isAlive = (): boolean => {
    const runner = identity();
    return runner !== null && machines.isAlive(runner);
  };
  return {
    follow: (tell, leave) => follow(mortal, spool, { tell, leave, isAlive }),
    control: (wish) =>
      mortal.call("runner.control", "write", () => {
        spool.controls.push(wish);
        spool.heed();
      }),
    kill: () =>
      mortal.call("runner.kill", "write", () => {
        const runner = identity();
        if (runner !== null) machines.end(runner);
      }),
    isAlive,
    isForeign: () => false,
    greet: () =>
      mortal.call("runner.greet", "none", () => {
        spool.heardAt = clock.monotonic();
      }),
  };
}

interface Following {
  tell: (event: RunnerEvent) => Promise<void>;
  leave: AbortSignal;
  isAlive: () => boolean;
}

async function follow(mortal: Mortal, spool: Spool, { tell, leave, isAlive }: Following): Promise<RunnerEnd | null> {
  const { clock, machines } = mortal.world;
  let heard = 0;
  while (!leave.aborted) {
    // Asked before the lines are read: a runner that ends in between has left all that it will ever leave.
    const isGone = !isAlive();
    const { done } = spool;
    while (heard < spool.lines.length) {
      const line = spool.lines[heard]!;
      if (line.type !== "started") await mortal.call("runner.follow", "none", () => null);
      await mortal.unlessDead(tell(line));
      heard += 1;
    }
    if (done !== null) {
      for (let waited = 0; waited < EXIT_WAIT_MS && isAlive(); waited += LOOK_MS)
        await mortal.unlessDead(clock.sleep(LOOK_MS));
      return done;
    }
    if (isGone) {
      const { agent } = spool;
      if (agent !== null) await mortal.call("runner.follow (agent)", "none", () => void machines.end(agent));
      return LOST;
    }
    await mortal.unlessDead(seen(mortal, spool, leave));
  }
  return null;
}

/** Resolves when there is something to see, or it is time to look. */
function seen({ world: { clock } }: Mortal, spool: Spool, leave: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      callOff();
      spool.engines.delete(end);
      leave.removeEventListener("abort", end);
      resolve();
    };
    const callOff = clock.after(LOOK_MS, end);
    spool.engines.add(end);
    leave.addEventListener("abort", end);
  });
}
