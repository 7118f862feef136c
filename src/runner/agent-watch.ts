/** Gives an agent up whose time is over, or that has fallen silent. While it waits for a person, its clocks stand still. */

import { noEndWithin } from "../core/attempt/no-end-within.ts";
import type { AgentEvent } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Watch } from "../ports/runner.ts";
import type { Stop } from "./stop.ts";

export interface AgentWatchOptions {
  clock: Clock;
  stop: Stop;
  watch: Watch;
  /** How long the agent may work, milliseconds. */
  timeoutMs: number;
  /** How much it has printed until now. */
  outputBytes(): number;
  /** It waits for a person's answer. */
  isWaiting(): boolean;
}

/** Whether it has printed anything is looked at so many times within the shorter of its silences. */
const LOOKS_PER_SILENCE = 10;

/** Timers of the platform hold at most this long; the next one goes on. */
const TIMER_MAX_MS = 2_147_000_000;

export class AgentWatch {
  readonly #options: AgentWatchOptions;
  readonly #over = new AbortController();
  readonly #tools = new Set<string>();
  #timeoutMs: number;
  #looked: number;
  #workedMs = 0;
  #silentMs = 0;
  #bytes: number;
  #hasSpoken = false;
  #bell = new AbortController();

  constructor(options: AgentWatchOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs;
    this.#looked = options.clock.monotonic();
    this.#bytes = options.outputBytes();
  }

  /** Resolves when it watches no more. */
  async run(): Promise<void> {
    const { clock, stop } = this.#options;
    while (!this.#over.signal.aborted && stop.asked === null) {
      this.#bell = new AbortController();
      await clock.sleep(this.#nextLook(), AbortSignal.any([this.#over.signal, this.#bell.signal]));
      this.look();
    }
  }

  /** Call at each change of whether it waits for a person: what has passed until now is counted by how it was. */
  look(wasWaiting = this.#options.isWaiting()): void {
    const now = this.#options.clock.monotonic();
    const passed = wasWaiting ? 0 : now - this.#looked;
    this.#looked = now;
    this.#workedMs += passed;
    this.#silentMs += passed;
    const bytes = this.#options.outputBytes();
    if (bytes !== this.#bytes) this.#alive();
    this.#bytes = bytes;
    this.#judge();
  }

  heard(event: AgentEvent): void {
    this.#alive();
    if (event.type === "tool" && event.id !== undefined) this.#tools.add(event.id);
    if (event.type === "tool_ended") this.#tools.delete(event.id);
  }

  /** Of several wishes the longest time counts: an engine that takes over may say an old one again. */
  extend(timeoutMs: number): void {
    this.#timeoutMs = Math.max(this.#timeoutMs, timeoutMs);
    this.#bell.abort();
  }

  close(): void {
    this.#over.abort();
  }

  #alive(): void {
    this.#hasSpoken = true;
    this.#silentMs = 0;
  }

  #judge(): void {
    const { stop } = this.#options;
    const silence = this.#silenceMax();
    if (this.#workedMs >= this.#timeoutMs) {
      stop.now("timed_out", noEndWithin(this.#timeoutMs));
    } else if (silence !== null && this.#silentMs >= silence) {
      const text = this.#hasSpoken ? "nothing was heard of it for" : "no first output within";
      stop.now("stalled", `${text} ${silence / 1_000} s`);
    }
  }

  /** How long it may be silent now; null when it may be for ever. A tool that runs counts as life. */
  #silenceMax(): number | null {
    const { first_output_ms, silence_ms } = this.#options.watch;
    if (!this.#hasSpoken) return first_output_ms;
    return this.#tools.size > 0 ? null : silence_ms;
  }

  #nextLook(): number {
    const { first_output_ms, silence_ms } = this.#options.watch;
    const silence = this.#silenceMax() ?? Number.POSITIVE_INFINITY;
    // Also before it has spoken, so that it is seen when it does.
    const watched = [first_output_ms, silence_ms].map((ms) => (ms ?? Number.POSITIVE_INFINITY) / LOOKS_PER_SILENCE);
    const look = Math.min(this.#timeoutMs - this.#workedMs, silence - this.#silentMs, ...watched);
    return Math.max(1, Math.min(look, TIMER_MAX_MS));
  }
}
