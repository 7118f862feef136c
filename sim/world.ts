/** All that there is in one simulation. */

import { memoryStore } from "../src/adapters/store/memory/memory-store.ts";
import { emptyState, type MemoryState } from "../src/adapters/store/memory/state.ts";
import type { CompiledPlan } from "../src/core/plan/definition.ts";
import type { EngineSettings } from "../src/engine/context.ts";
import type { Store } from "../src/ports/store.ts";
import { Asked } from "./asked.ts";
import { VirtualClock } from "./clock.ts";
import { Coverage } from "./coverage.ts";
import { GitModel } from "./git-model.ts";
import { Locks } from "./locks.ts";
import { Log } from "./log.ts";
import { Machines, type SimProcess } from "./machines.ts";
import { Places } from "./places.ts";
import type { Random } from "./random.ts";
import type { Spool } from "./spool.ts";

/** What must never be, and was. */
export interface Violation {
  oracle: string;
  text: string;
}

/** Deaths that were dealt, by what died. */
export type Kills = Record<"engine" | "runner" | "agent" | "check" | "worker" | "machine" | "git", number>;

export interface Setting {
  seed: number;
  mode: "worktree" | "in_place" | "none";
  plan: CompiledPlan;
  engine: EngineSettings;
  nodes: string[];
  budget_usd: number | null;
  tasks_max: number | null;
  /** Faults that are dealt before the world becomes calm. */
  faults: number;
}

/** Attempts of external workers need places too. */
const EXTRA_SLOTS = 3;

export class World {
  readonly clock = new VirtualClock();
  readonly machines = new Machines(this.clock);
  readonly git = new GitModel();
  readonly coverage = new Coverage();
  readonly locks = new Locks();
  readonly spools = new Map<string, Spool>();
  readonly asked = new Asked();
  readonly state: MemoryState = emptyState();
  readonly store: Store;
  readonly log: Log;
  readonly places: Places;
  readonly project: string;
  readonly setting: Setting;
  readonly random: Random;
  readonly kills: Kills = { engine: 0, runner: 0, agent: 0, check: 0, worker: 0, machine: 0, git: 0 };
  /** No more faults: from here on everything must end. */
  calm = false;
  freeBytes = 10_000_000_000;
  violation: Violation | null = null;
  /** Called behind the next call of that name by any engine. */
  behind: { what: string; act: (engine: SimProcess) => void } | null = null;
  /** Called behind every commit, with the store as it is then. */
  committed: () => void = () => {};
  #ids = 0;

  constructor(setting: Setting, random: Random, life: number, echo: ((line: string) => void) | null) {
    this.setting = setting;
    this.random = random;
    // Another life of the same seed shares this process: nothing in it may take the one for the other.
    this.project = `project-${setting.seed}-${life}`;
    this.log = new Log(this.clock, echo);
    this.store = memoryStore({ clock: this.clock, state: this.state });
    const { mode, engine } = setting;
    this.places = new Places(this.git, mode === "in_place" ? 1 : engine.jobs + EXTRA_SLOTS);
  }

  /** Sorts by the time of its making, as ids of the product do. */
  id(): string {
    this.#ids += 1;
    return `${String(this.#ids).padStart(8, "0")}-0000-7000-8000-${String(this.setting.seed).padStart(12, "0")}`;
  }

  /** The first that is found ends the simulation. */
  violate(oracle: string, text: string): void {
    if (this.violation !== null) return;
    this.violation = { oracle, text };
    this.log.write(`VIOLATION ${oracle}: ${text}`);
  }
}
