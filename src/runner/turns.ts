/** An agent's turns: a person may interrupt one, and then the agent goes on with what the person said. */

import { promptOfResumed } from "../core/attempt/prompt.ts";
import type { AgentEvent, Turn } from "../ports/agent.ts";
import type { Resumption } from "../ports/runner.ts";

/** Said after its conversation was summed up, where nobody said anything else. */
const GOES_ON = "Your conversation was summed up to make room. Go on with your task.";

/** Each costs what a turn costs; what comes after is seen at the landing. */
const TOLD_TURNS_MAX = 3;

/** What an attempt begins with that goes on in an earlier one's conversation; null where there is none. */
export function firstTurn(resume: Resumption | undefined, prompt: string): Turn | null {
  if (resume === undefined || "lost" in resume) return null;
  return { message: promptOfResumed(prompt, resume.why), session: resume.session, whole: true };
}

/** For whoever reads what an agent did. */
export function resumptionText(resume: Resumption): string {
  return "lost" in resume
    ? `it begins anew, not in the conversation of attempt ${resume.attempt}: ${resume.lost}`
    : `it goes on in the conversation ${resume.session} of attempt ${resume.attempt}`;
}

export class Turns {
  #current = new AbortController();
  #messages: string[] = [];
  /** An engine that takes over says again what the one before it had said. */
  #obeyed = 0;
  #compacted = 0;
  #compacts = false;
  #session: string | null = null;
  #toldTurns = 0;

  /** Ends the turn under way; what is said before the next one begins is said in it. */
  interrupt(number: number, message: string): void {
    if (number <= this.#obeyed) return;
    this.#obeyed = number;
    this.#messages.push(message);
    this.#current.abort();
  }

  /** Ends the turn under way, for its conversation to be summed up before the next one. */
  compact(number: number): void {
    if (number <= this.#compacted) return;
    this.#compacted = number;
    this.#compacts = true;
    this.#current.abort();
  }

  /** Aborts when the turn under way is interrupted. */
  get interrupted(): AbortSignal {
    return this.#current.signal;
  }

  heard(event: AgentEvent): void {
    if (event.type === "session") this.#session = event.session;
  }

  /** A turn in its own conversation in which it is told what there is; null where it has none, or was told often enough. */
  told(take: () => string[]): Turn | null {
    if (this.#session === null || this.#toldTurns >= TOLD_TURNS_MAX) return null;
    const messages = take();
    if (messages.length === 0) return null;
    this.#toldTurns += 1;
    this.#current = new AbortController();
    return { message: messages.join("\n\n"), session: this.#session };
  }

  /** What the next turn begins with; null when nobody interrupted the last one. */
  next(): Turn | null {
    const [words, compacts] = [this.#messages, this.#compacts];
    if (words.length === 0 && !compacts) return null;
    const message = words.length === 0 ? GOES_ON : words.join("\n\n");
    this.#messages = [];
    this.#compacts = false;
    this.#current = new AbortController();
    return { message, session: this.#session, ...(compacts ? { compact: true } : {}) };
  }
}
