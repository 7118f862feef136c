/**
 * What Claude Code works on behind a turn that has ended: helpers and commands in the background. It is told of each that
 * is done, and has another turn then; so a result that comes while one is at work is not the attempt's.
 */

import { shortText } from "./plain-text.ts";
import { type Fields, list, text } from "./wire-fields.ts";

export interface ClaudeTask {
  /** A model works on it, and comes to an end; a command, such as a server, may never. */
  isHelper: boolean;
  about: string;
}

/** How long a result is held back for them, milliseconds. */
export interface BackgroundTimes {
  helperMs: number;
  commandMs: number;
  /** From the last that is done to the beginning of the turn that it is told in. */
  noticeMs: number;
}

/** A helper has a piece of work, a command mostly a test or a build; the attempt's own time bounds them all the same. */
export const BACKGROUND_TIMES: BackgroundTimes = { helperMs: 10 * 60_000, commandMs: 2 * 60_000, noticeMs: 10_000 };

/** All that is at work now (`background_tasks_changed`); null where it does not say. */
export function backgroundTasks(fields: Fields): ClaudeTask[] | null {
  if (!Array.isArray(fields["tasks"])) return null;
  return list(fields["tasks"]).map((task) => ({
    isHelper: task["task_type"] === "local_agent",
    about: shortText(text(task["description"]) ?? "it does not say what"),
  }));
}

/** `Result`: the last word of a turn that ended well. */
export class ClaudeBackground<Result> {
  readonly #times: BackgroundTimes;
  readonly #end: (result: Result, left: readonly ClaudeTask[]) => void;
  #tasks: readonly ClaudeTask[] = [];
  #held: { result: Result; at: number } | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** `end` hears the result that was held back, when it was held back long enough, and what is at work even then. */
  constructor(times: BackgroundTimes, end: (result: Result, left: readonly ClaudeTask[]) => void) {
    this.#times = times;
    this.#end = end;
  }

  /** The result that is held back: the last word, if nothing more comes. */
  get held(): Result | null {
    return this.#held?.result ?? null;
  }

  /** False: nothing is at work, and the result is the end. */
  holds(result: Result): boolean {
    this.close();
    if (this.#tasks.length === 0) return false;
    this.#held = { result, at: performance.now() };
    this.#wait();
    return true;
  }

  changed(tasks: readonly ClaudeTask[]): void {
    this.#tasks = tasks;
    if (this.#timer !== null) this.#wait();
  }

  /** Nothing is waited for any more: another turn has begun, whose own result counts, or the end has come. */
  close(): void {
    this.#unset();
    this.#held = null;
  }

  #wait(): void {
    this.#unset();
    const { result, at } = this.#held!;
    const ms = Math.min(this.#patience(), at + this.#times.helperMs - performance.now());
    this.#timer = setTimeout(() => this.#end(result, this.#tasks), Math.max(0, ms));
  }

  #unset(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #patience(): number {
    const { helperMs, commandMs, noticeMs } = this.#times;
    if (this.#tasks.length === 0) return noticeMs;
    return this.#tasks.some(({ isHelper }) => isHelper) ? helperMs : commandMs;
  }
}
