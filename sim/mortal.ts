/** A process of lockstep in the simulation. Once it is dead, no call of it ever has an effect or an answer any more. */

import type { Clock } from "../src/ports/clock.ts";
import type { ProcessKind, SimProcess } from "./machines.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** At its nth call to the world: before the call had its effect, or behind it, when only the answer is lost. */
export interface Fate {
  step: number;
  when: "before" | "after";
}

/** Of a call: none at all, what a read takes, what a write takes. */
export type Pace = "none" | "read" | "write";

export class Mortal {
  readonly process: SimProcess;
  readonly world: World;
  readonly random: Random;
  isDead = false;
  /** Called at death and at the process's own end. */
  readonly atEnd: (() => void)[] = [];
  #fate: Fate | null;
  #step = 0;

  constructor(
    world: World,
    { node, kind, name, fate }: { node: string; kind: ProcessKind; name: string; fate: Fate | null },
  ) {
    this.world = world;
    this.random = world.random.fork();
    this.process = world.machines.spawn({ node, kind, name });
    this.#fate = fate;
    this.process.ended.push(() => this.#finish());
  }

  get label(): string {
    const { name, identity } = this.process;
    return `${name}(${identity.node}:${identity.pid})`;
  }

  /** SIGKILL. */
  kill(why: string): void {
    if (this.isDead) return;
    const { world, process } = this;
    if (process.kind === "engine" || process.kind === "worker") {
      world.kills[process.kind] += 1;
      world.log.fault(`${this.label} is killed ${why}`);
    }
    world.machines.end(process.identity);
  }

  /** It ended by itself. */
  exit(): void {
    this.world.machines.end(this.process.identity);
  }

  /** Does something to the world. Never answers once this process is dead. */
  call<T>(what: string, pace: Pace, effect: () => T | Promise<T>): Promise<T> {
    if (this.isDead) return never();
    const fate = this.#fateOfStep();
    if (this.#frozenMs > 0 || this.#isWaitedFor(what)) return this.#slowly(what, "write", effect, fate);
    if (fate === null && (pace === "none" || (pace === "read" && !this.random.chance(SLOW_READS))))
      return this.unlessDead(effect());
    return this.#slowly(what, pace, effect, fate);
  }

  async #slowly<T>(what: string, pace: Pace, effect: () => T | Promise<T>, fate: Fate["when"] | null): Promise<T> {
    await this.#pass(pace);
    if (fate === "before") this.#dieAt(what, "before");
    if (this.isDead) return never();
    const result = await effect();
    if (fate === "after") this.#dieAt(what, "after");
    this.#tellBehind(what);
    if (this.isDead) return never();
    await this.#pass(pace);
    return this.isDead ? never() : result;
  }

  /** The same without a say of fate: for what is no step of its own. */
  async unlessDead<T>(answer: T | Promise<T>): Promise<T> {
    const result = await answer;
    return this.isDead ? never() : result;
  }

  clock(): Clock {
    const { clock } = this.world;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => this.unlessDead(clock.sleep(ms, signal)),
    };
  }

  #fateOfStep(): Fate["when"] | null {
    this.#step += 1;
    return this.#fate !== null && this.#step === this.#fate.step ? this.#fate.when : null;
  }

  #dieAt(what: string, when: Fate["when"]): void {
    if (this.isDead) return;
    this.world.coverage.deaths.add(`${when} ${what}`);
    this.kill(`${when} ${what}`);
  }

  #isWaitedFor(what: string): boolean {
    return this.process.kind === "engine" && this.world.behind?.what === what;
  }

  #tellBehind(what: string): void {
    if (!this.#isWaitedFor(what)) return;
    const { behind } = this.world;
    this.world.behind = null;
    behind?.act(this.process);
  }

  get #frozenMs(): number {
    return this.process.frozenUntil - this.world.clock.monotonic();
  }

  async #pass(pace: Pace): Promise<void> {
    const { clock } = this.world;
    while (this.#frozenMs > 0) await clock.sleep(this.#frozenMs);
    if (pace === "write") await clock.sleep(this.random.between(0, WRITE_MS));
    else if (pace === "read") await clock.sleep(this.random.between(0, READ_MS));
  }

  #finish(): void {
    this.isDead = true;
    for (const act of this.atEnd.splice(0)) act();
  }
}

/** What a dead process waits for: each a promise of its own, so that all that waits for it can be forgotten. */
function never(): Promise<never> {
  return new Promise(() => {});
}

const WRITE_MS = 12;
const READ_MS = 20;
const SLOW_READS = 0.05;
