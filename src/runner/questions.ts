/** What the agent asked, until it has heard the answer. */

import type { AgentQuestion } from "../ports/runner.ts";

/** More than one agent can have open at once with any sense; the bound keeps a loop of questions from people. */
const OPEN_MAX = 20;

export interface QuestionsOptions {
  /** Hands the question on and gives it its number. */
  tell(question: AgentQuestion): number;
  /** Called before each change of what the agent waits for. */
  changing(): void;
}

export interface Asked {
  number: number;
  /** A person's words; null: nobody has answered yet. */
  readonly answer: string | null;
  /** Resolves with a person's words, perhaps never. */
  answered: Promise<string>;
}

interface Open extends Asked {
  words: string;
  answer: string | null;
  resolve(answer: string): void;
}

export class Questions {
  readonly #open = new Map<number, Open>();
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

  /**
   * Null when too many are open. One that is asked again, by a client that lost patience or an agent that went on without
   * the answer, is the same question: a person sees it once.
   */
  ask(question: AgentQuestion, canContinue: boolean): Asked | null {
    const words = JSON.stringify([question.question, question.options]);
    const known = [...this.#open.values()].find((open) => open.words === words);
    if (known === undefined && this.#count((open) => open.answer === null) >= OPEN_MAX) return null;
    const open = known ?? this.#tell(question, words);
    if (!canContinue && open.answer === null) {
      this.#options.changing();
      this.#halting.set(open.number, question.question);
    }
    return open;
  }

  answer(number: number, words: string): void {
    const open = this.#open.get(number);
    if (open === undefined || open.answer !== null) return;
    open.answer = words;
    open.resolve(words);
    this.goOn(number);
    const answered = [...this.#open.values()].filter((other) => other.answer !== null);
    if (answered.length > OPEN_MAX) this.#open.delete(answered[0]!.number);
  }

  /** Its answer has reached the agent. */
  heard(number: number): void {
    this.#open.delete(number);
  }

  /** The agent goes on, answered or not. */
  goOn(number: number): void {
    if (!this.#halting.has(number)) return;
    this.#options.changing();
    this.#halting.delete(number);
  }

  /** Whoever asked is gone: nothing waits for an answer any more. */
  forget(): void {
    this.#open.clear();
    for (const number of [...this.#halting.keys()]) this.goOn(number);
  }

  #tell(question: AgentQuestion, words: string): Open {
    const number = this.#options.tell(question);
    let resolve: Open["resolve"] = () => {};
    const answered = new Promise<string>((resolved) => {
      resolve = resolved;
    });
    const open: Open = { number, words, answer: null, answered, resolve };
    this.#open.set(number, open);
    return open;
  }

  #count(isCounted: (open: Open) => boolean): number {
    return [...this.#open.values()].filter(isCounted).length;
  }
}
