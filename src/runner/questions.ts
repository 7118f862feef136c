/** What the agent asked and nobody has answered yet. */

import type { AgentQuestion } from "../ports/runner.ts";

/** More than one agent can have open at once with any sense; the bound keeps a loop of questions from people. */
const OPEN_MAX = 20;

export class Questions {
  readonly #waiting = new Map<number, (answer: string) => void>();
  /** Questions without whose answer the agent does not go on, by their number. */
  readonly #halting = new Map<number, string>();
  readonly #tell: (question: AgentQuestion) => number;

  /** `tell` hands the question on and gives it its number. */
  constructor(tell: (question: AgentQuestion) => number) {
    this.#tell = tell;
  }

  /** What the agent waits for now; null when it works. */
  get halting(): string | null {
    return this.#halting.values().next().value ?? null;
  }

  /** Null when too many are open. `answered` resolves with a person's words, perhaps never. */
  ask(question: AgentQuestion, canContinue: boolean): { number: number; answered: Promise<string> } | null {
    if (this.#waiting.size >= OPEN_MAX) return null;
    const number = this.#tell(question);
    if (!canContinue) this.#halting.set(number, question.question);
    const answered = new Promise<string>((resolve) => this.#waiting.set(number, resolve));
    return { number, answered };
  }

  answer(number: number, words: string): void {
    this.#waiting.get(number)?.(words);
    this.#waiting.delete(number);
    this.#halting.delete(number);
  }
}
