/** An agent's turns: a person may interrupt one, and then the agent goes on with what the person said. */

import type { AgentEvent, Turn } from "../ports/agent.ts";

export class Turns {
  #current = new AbortController();
  #messages: string[] = [];
  /** An engine that takes over says again what the one before it had said. */
  #obeyed = 0;
  #session: string | null = null;

  /** Ends the turn under way; what is said before the next one begins is said in it. */
  interrupt(number: number, message: string): void {
    if (number <= this.#obeyed) return;
    this.#obeyed = number;
    this.#messages.push(message);
    this.#current.abort();
  }

  /** Aborts when the turn under way is interrupted. */
  get interrupted(): AbortSignal {
    return this.#current.signal;
  }

  heard(event: AgentEvent): void {
    if (event.type === "session") this.#session = event.session;
  }

  /** What the next turn begins with; null when nobody interrupted the last one. */
  next(): Turn | null {
    if (this.#messages.length === 0) return null;
    const message = this.#messages.join("\n\n");
    this.#messages = [];
    this.#current = new AbortController();
    return { message, session: this.#session };
  }
}
