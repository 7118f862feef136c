/** Tasks with which this engine could not go on: each is told, tried again a few times, and keeps none of the others waiting. */

import { RowUnreadable, StoreUnavailable } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import { isPassing, TROUBLE_LOOK_MS, TROUBLE_MS_MAX } from "./patience.ts";

/** Waits before each further try. After the last a person has to mend something, and the next engine tries anew. */
const AGAIN_AFTER_MS: readonly number[] = [1_000, 10_000, 60_000];

interface Aside {
  failures: number;
  /** When it went wrong for the first time, on the clock that never jumps. */
  since: number;
  error: string;
  /** When it is tried again, on the clock that never jumps; null: not by this engine. */
  again: number | null;
}

/**
 * Takes what went wrong with one task, so that the others go on; throws what is not about this task. `plan`: another one
 * than that whose run is carried.
 */
export type Failed = (task: string, error: unknown, plan?: string) => Promise<void>;

/** For whoever has nothing else to go on with. */
export async function thrown(_: string, error: unknown): Promise<never> {
  throw error;
}

export class SetAside {
  readonly #context: EngineContext;
  readonly #plan: string;
  readonly #onTrouble: (message: string) => void;
  readonly #tasks = new Map<string, Aside>();
  readonly #told = new Set<string>();

  /** `plan`: whose run this engine carries; of others it only tells. `onTrouble` hears what cannot be written down. */
  constructor(context: EngineContext, plan: string, onTrouble: (message: string) => void = () => {}) {
    this.#context = context;
    this.#plan = plan;
    this.#onTrouble = onTrouble;
  }

  /** Sets a task aside for what went wrong with it. Throws what is not about this task: a store that nobody can use. */
  async add(task: string, error: unknown, plan: string = this.#plan): Promise<void> {
    const isTrouble = plan === this.#plan && isPassing(error);
    if (error instanceof StoreUnavailable && !(error instanceof RowUnreadable) && !isTrouble) throw error;
    const text = error instanceof Error ? error.message : String(error);
    if (plan !== this.#plan) return this.#tell(plan, task, text, null);
    const now = this.#context.clock.monotonic();
    const { failures: before, since } = this.#tasks.get(task) ?? { failures: 0, since: now };
    const failures = isTrouble ? before : before + 1;
    const wait = isTrouble ? troubleWait(now - since) : (AGAIN_AFTER_MS[failures - 1] ?? null);
    this.#tasks.set(task, { failures, since, error: text, again: wait === null ? null : now + wait });
    if (isTrouble) this.#onTrouble(`${text}: waiting for that to pass`);
    // Said at the first failure and at the last: what is between them is the same again.
    else if (failures === 1 || wait === null) await this.#tell(plan, task, text, wait);
  }

  /** Takes note of rows that lists have left out: their tasks stand still until somebody mends them. */
  async noteUnreadable(): Promise<void> {
    for (const { task, message } of await this.#context.store.unreadable(this.#plan)) {
      if (task !== null && !this.#tasks.has(task))
        this.#tasks.set(task, { failures: AGAIN_AFTER_MS.length + 1, since: 0, error: message, again: null });
      await this.#tell(this.#plan, task, message, null);
    }
  }

  /** It is not to be tried now. */
  has(task: string): boolean {
    const aside = this.#tasks.get(task);
    return aside !== undefined && (aside.again === null || aside.again > this.#context.clock.monotonic());
  }

  /** Tasks whose time to be tried again has come; each is named once for each failure. */
  takeDue(): string[] {
    const now = this.#context.clock.monotonic();
    const due = [...this.#tasks].filter(([, { again }]) => again !== null && again <= now && again > NOW);
    for (const [, aside] of due) aside.again = NOW;
    return due.map(([task]) => task);
  }

  /** It went well after all. */
  forget(task: string, plan: string = this.#plan): void {
    if (plan === this.#plan) this.#tasks.delete(task);
  }

  /** How long until the next one is tried again, milliseconds; null when none will be. */
  nextMs(): number | null {
    const times = [...this.#tasks.values()].flatMap(({ again }) => (again === null || again === NOW ? [] : again));
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - this.#context.clock.monotonic());
  }

  isLeft(task: string): boolean {
    return this.#tasks.get(task)?.again === null;
  }

  /** What is left for a person, in words; null when nothing is. */
  held(): string | null {
    const left = [...this.#tasks].filter(([, { again }]) => again === null);
    const [first] = left;
    if (first === undefined) return null;
    const more = left.length > 1 ? `, and ${left.length - 1} more like it` : "";
    return `task ${first[0]} was set aside: ${first[1].error}${more}`;
  }

  async #tell(plan: string, task: string | null, error: string, wait: number | null): Promise<void> {
    const said = JSON.stringify([plan, task, error, wait]);
    if (this.#told.has(said)) return;
    this.#told.add(said);
    const { store, clock, actor } = this.#context;
    const failure = { about: task, error, retry_at: wait === null ? null : clock.now() + wait };
    await store.submit({ type: "engine.fail", plan, failure }, { actor });
  }
}

/** A store that fails costs a task none of its tries, but is waited for no longer than this. */
function troubleWait(lastedMs: number): number | null {
  return lastedMs > TROUBLE_MS_MAX ? null : TROUBLE_LOOK_MS;
}

/** It may be tried now, and its failures still count. */
const NOW = 0;
