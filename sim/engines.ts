/** Engines of a project: one at a time on each node, a new one whenever the last has gone. */

import { asEngine } from "../src/compose/engine-lock.ts";
import type { OpenProject } from "../src/compose/project.ts";
import type { PlanRow } from "../src/core/task/rows.ts";
import type { RunEnd } from "../src/engine/run.ts";
import { runPlan } from "../src/engine/run.ts";
import { StoreUnavailable } from "../src/ports/store.ts";
import { type Acting, actAs, type Play } from "./contexts.ts";
import type { SimProcess } from "./machines.ts";
import type { Fate } from "./mortal.ts";

/** Longest time until somebody starts an engine again. */
const RESTART_MS = 10_000;
/** Longer than a lease, and how often a node is gone for so long. */
const LONG_AWAY_MS = 150_000;
const LONG_AWAY = 0.3;
const CALM_RESTART_MS = 500;
/** After a run that ended though not everything had: what held it may take its time. */
const CALM_AGAIN_MS = 60_000;
/** How long a process lingers that broke: its other work ends with it. */
const EXIT_MS = 40;
/** Calls to the world within which an engine that is to die does. */
const FATE_STEPS = 700;
const FATED = 0.6;

export class Engines {
  /** The run's end, as the last engine told it; null while one runs or the last died. */
  last: RunEnd | null = null;
  running = 0;
  starts = 0;
  readonly #play: Play;
  readonly #plan: PlanRow;
  #stops = new Set<{ stop: AbortController; kill: AbortController }>();

  constructor(play: Play, plan: PlanRow) {
    this.#play = play;
    this.#plan = plan;
    for (const node of play.world.setting.nodes) this.#startSoon(node, 0);
  }

  /** Ctrl-C, once or twice. */
  interrupt(twice: boolean): void {
    for (const { stop, kill } of this.#stops) (twice ? kill : stop).abort();
  }

  #startSoon(node: string, ms: number): void {
    this.#play.world.clock.after(ms, () => this.#start(node));
  }

  #start(node: string): void {
    const { world } = this.#play;
    if (this.isOver?.()) return;
    this.starts += 1;
    const isFated = !world.calm && world.random.chance(FATED);
    const fate: Fate | null = isFated
      ? { step: world.random.between(1, FATE_STEPS), when: world.random.pick(["before", "after"] as const) }
      : null;
    const acting = actAs(this.#play, { node, kind: "engine", name: "engine", fate });
    world.log.write(`${acting.mortal.label} starts`);
    this.running += 1;
    this.last = null;
    acting.mortal.atEnd.push(() => {
      this.running -= 1;
      this.ended(acting.mortal.process);
      const calmly = this.last === null ? CALM_RESTART_MS : CALM_AGAIN_MS;
      this.#startSoon(node, world.calm ? calmly : this.#away());
    });
    void this.#carry(acting);
  }

  /** Of two nodes one may be gone for so long that the other takes over what it held. */
  #away(): number {
    const { random, setting } = this.#play.world;
    const isLong = setting.nodes.length > 1 && random.chance(LONG_AWAY);
    return isLong ? random.between(60_000, LONG_AWAY_MS) : random.between(50, RESTART_MS);
  }

  /** Hears of each that is gone. */
  ended: (engine: SimProcess) => void = () => {};

  /** Asked before a new one starts. */
  isOver: (() => boolean) | null = null;

  async #carry(acting: Acting): Promise<void> {
    const { world } = this.#play;
    const { mortal, context } = acting;
    const { budget_usd, tasks_max } = world.setting;
    const stops = { stop: new AbortController(), kill: new AbortController() };
    this.#stops.add(stops);
    mortal.atEnd.push(() => this.#stops.delete(stops));
    try {
      const end = await asEngine(projectOf(acting), context, this.#plan.id, () =>
        runPlan(context, {
          plan: this.#plan,
          agent: null,
          tasksMax: world.calm ? null : tasks_max,
          budgetUsd: world.calm ? null : budget_usd,
          maxWaitMs: 24 * 3_600_000,
          stop: stops.stop.signal,
          kill: stops.kill.signal,
        }),
      );
      if (mortal.isDead) return;
      if ("run" in end) {
        this.last = end;
        world.log.write(
          `${mortal.label} ended its run: ${end.outcome}${end.held === null ? "" : `, held: ${end.held}`}`,
        );
      } else world.log.write(`${mortal.label} found another engine, or no run`);
      mortal.exit();
    } catch (error) {
      if (mortal.isDead) return;
      this.#broke(acting, error);
    }
  }

  /** A store that cannot be used ends an engine; anything else that is thrown is a fault of the product. */
  #broke({ mortal }: Acting, error: unknown): void {
    const { world } = this.#play;
    const { name, message, stack } = error as Error;
    if (!(error instanceof StoreUnavailable))
      world.violate("the engine does not break", `${name}: ${message}\n${stack}`);
    world.log.write(`${mortal.label} broke: ${message}`);
    world.clock.after(EXIT_MS, () => mortal.exit());
  }
}

/** As much of a project as the engine's lock asks for. */
function projectOf({ mortal, context }: Acting): OpenProject {
  const { world, process } = mortal;
  const locks = {
    acquire: (file: string) =>
      mortal.call("locks.acquire", "write", () => {
        const release = world.locks.take(`${process.identity.node} ${file}`, mortal.label);
        if (release !== null) mortal.atEnd.push(release);
        return release;
      }),
  };
  return { store: context.store, id: world.project, stateDir: "/state", locks } as unknown as OpenProject;
}
