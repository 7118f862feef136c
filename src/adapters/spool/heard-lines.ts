/** The lines that a runner tells, each told on once and in its order, whatever else stands in their file. */

import type { Clock } from "../../ports/clock.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import type { RunnerEvent } from "../../ports/runner.ts";
import { LineReader } from "./line-reader.ts";
import { parseEvent } from "./spool-words.ts";

/** Numbers of what is not the runner's but the reader's own word: no line has them, so each is told once, too. */
export const UNREAD_LINE = { version: 0, problems: -1, trouble: -2 } as const;

export class HeardLines {
  /** The agent's process, once it was told. */
  agent: ProcessIdentity | null = null;
  /** Why the lines could not be read at the last look; null when they could. */
  unreadable: string | null = null;
  readonly #reader: LineReader;
  readonly #tell: (event: RunnerEvent) => Promise<void>;
  readonly #clock: Clock;
  #broken = 0;

  constructor(file: string, tell: (event: RunnerEvent) => Promise<void>, clock: Clock) {
    this.#reader = new LineReader(file);
    this.#tell = tell;
    this.#clock = clock;
  }

  /** Tells what is new. */
  async hear(): Promise<void> {
    for (let lines = this.#next(); lines.length > 0; lines = this.#next()) {
      for (const line of lines) {
        const event = parseEvent(line);
        if (event?.type === "started") this.agent = event.agent;
        if (event === null) this.#broken += 1;
        else await this.#tell(event);
      }
    }
  }

  async say(n: number, text: string): Promise<void> {
    await this.#tell({ n, at: this.#clock.now(), type: "progress", text });
  }

  /** Says once what could not be heard, and what else went wrong between the two. */
  async sayProblems(other: string | null): Promise<void> {
    const unread = this.#broken + this.#reader.dropped;
    const problems = [
      unread === 0 ? null : `${unread === 1 ? "a line" : `${unread} lines`} of its runner could not be read`,
      this.unreadable,
      other,
    ].filter((problem) => problem !== null);
    if (problems.length > 0) await this.say(UNREAD_LINE.problems, problems.join("; "));
  }

  close(): void {
    this.#reader.close();
  }

  #next(): string[] {
    try {
      const lines = this.#reader.read();
      this.unreadable = null;
      return lines;
    } catch (error) {
      const { syscall, message } = error as NodeJS.ErrnoException;
      if (syscall === undefined) throw error;
      // Looked at again with every look, for as long as the runner lives.
      this.unreadable = `the lines of its runner cannot be read: ${message}`;
      return [];
    }
  }
}
