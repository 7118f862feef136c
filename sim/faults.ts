/** Deals what goes wrong, at times that nobody expects, until a seed's faults are used up; then the world is calm. */

import type { LandingRow } from "../src/core/task/rows.ts";
import { isSameProcess } from "../src/engine/context.ts";
import type { Play } from "./contexts.ts";
import type { Engines } from "./engines.ts";
import type { ProcessKind, SimProcess } from "./machines.ts";
import type { Mortal } from "./mortal.ts";
import type { Operators } from "./operators.ts";
import type { Workers } from "./workers.ts";
import type { Kills, World } from "./world.ts";

const KINDS = {
  engine: 5,
  runner: 6,
  agent: 6,
  check: 4,
  worker: 2,
  machine: 1,
  git: 3,
  busy: 3,
  forward: 1,
  back: 1,
  disk: 1,
  freeze: 25,
  push: 3,
} as const;

type Kind = keyof typeof KINDS;

const HOUR_MS = 3_600_000;
const BETWEEN_MS = 16_000;
const DISK_LOW_MS = 30_000;
/** Longer than a lease; and how soon a landing by two of them is gone on with. */
const FROZEN_MS = 180_000;
const HAND_BACK_MS = 5_000;
/** How often a person does without what was being landed when its engine died. */
const DONE_WITHOUT = 0.4;
const THAW_MS = 3_000;
const THAW_LOOK_MS = 200;
/** Behind these an engine's next word is about an attempt, or a landing, that may be another's by then. */
const FREEZES = [
  ...["runner.start (spawn)", "runner.start (spawn)", "workspace.save (free)"],
  ...["check.release", "check.release", "check.release"],
];
const VISIT_MS = 14_000;
const TIDY_MS = 20_000;

/** What is dealt does not always happen: a git that is to die may not be called any more. */
const FAULTS_MIN = 5;

export class Faults {
  readonly #world: World;
  #dealt = 0;
  #gitDeaths = 0;
  #busy = 0;

  constructor(world: World) {
    this.#world = world;
  }

  storeFails(who: Mortal): boolean {
    if (this.#busy === 0 || this.#world.calm || who.process.kind === "operator") return false;
    this.#busy -= 1;
    this.#world.log.fault(`the store is busy for ${who.label}`);
    return true;
  }

  gitDies(what: string): boolean {
    if (this.#gitDeaths === 0 || this.#world.calm) return false;
    this.#gitDeaths -= 1;
    this.#world.kills.git += 1;
    this.#world.log.fault(`git is killed ${what}`);
    return true;
  }

  begin(engines: Engines, workers: Workers, operators: Operators): void {
    const { clock, random } = this.#world;
    const again = (most: number, act: () => void): void => {
      clock.after(random.between(100, most), () => {
        if (this.#world.calm) return;
        act();
        again(most, act);
      });
    };
    engines.ended = (engine) => {
      const own = this.#landingOf(engine);
      if (own === undefined || this.#world.calm || !random.chance(DONE_WITHOUT)) return;
      clock.after(random.between(10, HAND_BACK_MS), () => operators.doWithout(own.task));
    };
    again(BETWEEN_MS, () => this.#deal(operators));
    again(VISIT_MS, () => operators.come());
    again(VISIT_MS, () => workers.come());
    const tidy = (): void => {
      if (engines.isOver?.()) return;
      if (this.#world.calm) operators.tidy();
      clock.after(TIDY_MS, tidy);
    };
    tidy();
  }

  #deal(operators: Operators): void {
    const world = this.#world;
    if (this.#dealt >= world.setting.faults && world.log.faults.length >= FAULTS_MIN) {
      world.calm = true;
      world.log.write("from here on nothing goes wrong any more");
      return;
    }
    if (this.#dealOne(world.random.weighted(KINDS), operators)) this.#dealt += 1;
  }

  #dealOne(kind: Kind, operators: Operators): boolean {
    const { clock, log, random, machines, kills, setting } = this.#world;
    switch (kind) {
      case "git":
        this.#gitDeaths += 1;
        return true;
      case "busy":
        this.#busy += 1;
        return true;
      case "forward":
      case "back":
        // Leases of two nodes go by one clock.
        if (setting.nodes.length > 1) return false;
        clock.jump(kind === "forward" ? HOUR_MS : -HOUR_MS);
        log.fault(`the clock jumps an hour ${kind === "forward" ? "on" : "back"}`);
        return true;
      case "disk":
        this.#world.freeBytes = 10;
        log.fault("the disk is full");
        clock.after(random.between(100, DISK_LOW_MS), () => {
          this.#world.freeBytes = 10_000_000_000;
        });
        return true;
      case "freeze":
        return this.#freeze(operators);
      case "push":
        return this.#push();
      case "machine": {
        const killed = machines.reboot(random.pick(setting.nodes));
        for (const process of killed) this.#count(process.kind);
        log.fault(`the machine starts anew: ${killed.map(({ name }) => name).join(", ")}`);
        kills.machine += 1;
        return true;
      }
      default:
        return this.#kill(kind);
    }
  }

  /** An engine gets no time to run for longer than its leases last; with one node nobody would take them over. */
  #freeze(operators: Operators): boolean {
    const { random, clock, setting } = this.#world;
    if (setting.nodes.length < 2 || this.#world.behind !== null) return false;
    const ms = random.between(90_000, FROZEN_MS);
    const what = random.pick(FREEZES);
    this.#world.behind = { what, act: (engine) => this.#stand(engine, clock.monotonic() + ms, operators) };
    return true;
  }

  /** A person who sees that nobody lands a task hands it back, and then it may be landed by both. */
  #stand(engine: SimProcess, until: number, operators: Operators): void {
    const { state, log, clock, random } = this.#world;
    engine.frozenUntil = until;
    log.fault(`${engine.name} on ${engine.identity.node} stands still until ${until} ms`);
    const own = this.#landingOf(engine);
    if (own === undefined) return;
    clock.after(random.between(100, HAND_BACK_MS), () => operators.handBack(own.task));
    const look = (): void => {
      if (clock.monotonic() >= engine.frozenUntil) return;
      const isAgain = [...state.landings.values()].some(({ task, token }) => task === own.task && token !== own.token);
      if (isAgain) engine.frozenUntil = clock.monotonic() + random.between(0, THAW_MS);
      else clock.after(THAW_LOOK_MS, look);
    };
    look();
  }

  #landingOf({ identity }: SimProcess): LandingRow | undefined {
    return [...this.#world.state.landings.values()].find(({ holder }) => isSameProcess(holder, identity));
  }

  /** Somebody who knows nothing of lockstep commits to the target. */
  #push(): boolean {
    const { places, random, log } = this.#world;
    const target = places.pushFrom(`pushed/${random.between(1, 99)}`);
    if (target !== null) log.fault(`somebody commits to ${target}`);
    return target !== null;
  }

  #kill(kind: ProcessKind): boolean {
    const { machines, random, log } = this.#world;
    const living = machines.ofKind(kind);
    if (living.length === 0) return false;
    const process = random.pick(living);
    this.#count(kind);
    log.fault(`${process.name} (pid ${process.identity.pid}) is killed`);
    machines.end(process.identity);
    return true;
  }

  #count(kind: ProcessKind): void {
    const { kills } = this.#world;
    if (kind in kills) kills[kind as keyof Kills] += 1;
  }
}

/** Faults without a schedule of their own, for `actAs`. */
export function faultyPlay(world: World, faults: Faults, oracles: Play["oracles"]): Play {
  return {
    world,
    oracles,
    storeFails: (who) => faults.storeFails(who),
    gitDies: (what) => faults.gitDies(what),
  };
}
