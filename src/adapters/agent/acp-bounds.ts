/** How far an agent over the Agent Client Protocol may go: the protocol has no word for it, so lockstep counts. */

import type { AcpSaid } from "./acp-end.ts";

export interface AcpBoundsOptions {
  /** Calls of tools that it may make; null: as many as it likes, or it counts itself. */
  callsMax: number | null;
  /** US dollars; of agents that tell them. */
  budgetUsd: number | null;
}

export class AcpBounds {
  readonly #options: AcpBoundsOptions;
  readonly #over = new AbortController();
  readonly #calls = new Set<string>();
  #capped: NonNullable<AcpSaid["capped"]> | null = null;
  #countsItself = false;

  constructor(options: AcpBoundsOptions) {
    this.#options = options;
  }

  /** Aborts when it has gone too far. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** What it used up; null: nothing. */
  get capped(): NonNullable<AcpSaid["capped"]> | null {
    return this.#capped;
  }

  /** It was told its bound, in turns of its model, which may use several tools each. */
  countsItself(): void {
    this.#countsItself = true;
  }

  /** It means to use a tool, or speaks of one that it uses. */
  call(id: string): void {
    const { callsMax } = this.#options;
    if (callsMax === null || this.#countsItself || this.#capped !== null) return;
    this.#calls.add(id);
    if (this.#calls.size > callsMax)
      this.#cap({ kind: "turn_cap", error: `it used up its turns: ${callsMax} calls of tools` });
  }

  cost(usd: number | null): void {
    const { budgetUsd } = this.#options;
    if (usd === null || budgetUsd === null || usd <= budgetUsd || this.#capped !== null) return;
    this.#cap({ kind: "budget_cap", error: `it used up its budget: ${usd} of ${budgetUsd} US dollars` });
  }

  #cap(capped: NonNullable<AcpSaid["capped"]>): void {
    this.#capped = capped;
    this.#over.abort();
  }
}
