/** What the agent asked and nobody has answered yet. */

import type { AgentQuestion } from "../ports/runner.ts";

/** More than one agent can have open at once with any sense; the bound keeps a loop of questions from people. */
const OPEN_MAX = 20;

export interface QuestionsOptions {
  /** Hands the question on and gives it its number. */
  tell(question: AgentQuestion): number;
  /** Called before each change of what the agent waits for. */
  changing(): void;
}

export class Questions {
  readonly #waiting = new Map<number, (answer: string) => void>();
  /** Questions without whose answer the agent does not go on, by their number. */
  readonly #halting = new Map<number, string>();
  readonly #options: QuestionsOptions;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** What the agent waits for now; null when it works. */
  get halting(): string | null {
    return this.#halting.values().next().value ?? null;
  }

  /** Null when too many are open. `answered` resolves with a person's words, perhaps never. */
  ask(question: AgentQuestion, canContinue: boolean): { number: number; answered: Promise<string> } | null {
    if (this.#waiting.size >= OPEN_MAX) return null;
    const number = this.#options.tell(question);
    if (!canContinue) {
      this.#options.changing();
      this.#halting.set(number, question.question);
    }
    const answered = new Promise<string>((resolve) => this.#waiting.set(number, resolve));
    return { number, answered };
  }

  answer(number: number, words: string): void {
    this.#waiting.get(number)?.(words);
    this.#waiting.delete(number);
    this.goOn(number);
  }

  /** The agent goes on, answered or not. */
  goOn(number: number): void {
    if (!this.#halting.has(number)) return;
    this.#options.changing();
    this.#halting.delete(number);
  }

  /** Whoever asked is gone: nothing waits for an answer any more. */
  forget(): void {
    this.#waiting.clear();
    for (const number of [...this.#halting.keys()]) this.goOn(number);
  }
}
