/** The client's side of an Agent Client Protocol connection: numbers requests, and finds each answer's request. */

import type { CommandInput } from "../../ports/processes.ts";
import { type AcpError, type AcpMessage, readAcpBeginning, readAcpLine } from "./acp-message.ts";
import { plainText } from "./plain-text.ts";
import type { Fields } from "./wire-fields.ts";

/** Of what it writes beside its messages, this many of the last lines stand in an error. */
const STRAY_LINES = 5;

/** Its messages carry whole files before and after an edit; a longer line is not read. */
export const ACP_LINE_BYTES_MAX = 16 * 1024 * 1024;

/** One that never falls silent is not waited for. */
const QUIET_LOOKS_MAX = 100;

const METHOD_NOT_FOUND = -32_601;
const INVALID_REQUEST = -32_600;

export type AcpAnswer =
  | { kind: "result"; result: Fields }
  | { kind: "error"; error: AcpError }
  /** It did not answer in its time. */
  | { kind: "late" }
  /** Somebody ended the attempt before it answered. */
  | { kind: "stopped" }
  /** Its program ended, or never began. */
  | { kind: "gone" };

/** What becomes of what the other side says by itself. */
export interface AcpListener {
  /** The result of a request of its own, which may take as long as a person takes; null: there is no such thing here. */
  asked(method: string, params: Fields): Promise<Fields | null>;
  told(method: string, params: Fields): void;
  /** A word on what could not be read. */
  note(text: string): void;
}

export interface AcpWait {
  /** The longest time to its answer; for ever unless given. */
  msMax?: number;
  /** Aborts when the answer is wanted no more; it may still come within `graceMs`. */
  stop: AbortSignal;
  graceMs?: number;
  /** Called when `stop` aborts. */
  stopping?(): void;
}

export class AcpConnection {
  readonly #listener: AcpListener;
  readonly #waiting = new Map<number, (answer: AcpAnswer) => void>();
  readonly #stray: string[] = [];
  #input: CommandInput | null = null;
  #open!: () => void;
  #isGone = false;
  #last = 0;
  #heard = 0;
  /** Resolves when there is somebody to talk to, or never will be. */
  readonly opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  constructor(listener: AcpListener) {
    this.#listener = listener;
  }

  open(input: CommandInput): void {
    this.#input = input;
    this.#open();
  }

  /** Its last lines that were no messages: standard error mostly. */
  get stray(): string {
    return plainText(this.#stray.join("\n"));
  }

  async request(method: string, params: Fields, wait: AcpWait): Promise<AcpAnswer> {
    if (this.#isGone || this.#input === null) return { kind: "gone" };
    if (wait.stop.aborted) return { kind: "stopped" };
    const id = ++this.#last;
    const timers: NodeJS.Timeout[] = [];
    const { stop } = wait;
    let stopped = (): void => {};
    try {
      return await new Promise<AcpAnswer>((resolve) => {
        this.#waiting.set(id, resolve);
        stopped = () => {
          wait.stopping?.();
          timers.push(setTimeout(() => resolve({ kind: "stopped" }), wait.graceMs ?? 0));
        };
        stop.addEventListener("abort", stopped, { once: true });
        if (wait.msMax !== undefined) timers.push(setTimeout(() => resolve({ kind: "late" }), wait.msMax));
        this.#send({ id, method, params });
      });
    } finally {
      this.#waiting.delete(id);
      stop.removeEventListener("abort", stopped);
      for (const timer of timers) clearTimeout(timer);
    }
  }

  /** Resolves when it has said nothing for so long, or is gone; at the latest after a hundred times that. */
  async quiet(ms: number): Promise<void> {
    for (let looks = 0; looks < QUIET_LOOKS_MAX && !this.#isGone; looks++) {
      const heard = this.#heard;
      await new Promise<void>((resolve) => setTimeout(resolve, ms));
      if (heard === this.#heard) return;
    }
  }

  notify(method: string, params: Fields): void {
    this.#send({ method, params });
  }

  /** A line of what its program prints; `leftOut` is the number of bytes that it lacks. */
  hear(line: string, leftOut: number): void {
    this.#heard += 1;
    if (leftOut > 0) this.#listener.note(`a line was too long to be read: ${leftOut} bytes of it were left out`);
    const message = leftOut > 0 ? readAcpBeginning(line) : readAcpLine(line);
    if (message.kind === "stray" && leftOut === 0) this.#keepStray(line);
    this.#take(message, leftOut > 0);
  }

  /** Says that nothing more will be said: most agents exit then. */
  end(): void {
    this.#input?.end();
  }

  /** Its program is gone: nobody will answer. */
  gone(): void {
    this.#isGone = true;
    this.#open();
    for (const resolve of this.#waiting.values()) resolve({ kind: "gone" });
  }

  #take(message: AcpMessage, isCut: boolean): void {
    switch (message.kind) {
      case "answer": {
        const { id, result, error } = message;
        this.#waiting.get(id)?.(error === null ? { kind: "result", result: result ?? {} } : { kind: "error", error });
        return;
      }
      case "request":
        void this.#answerTo(message, isCut).then((answer) => this.#send({ id: message.id, ...answer }));
        return;
      case "notification":
        this.#listener.told(message.method, message.params);
    }
  }

  async #answerTo({ method, params }: { method: string; params: Fields }, isCut: boolean): Promise<Fields> {
    if (isCut) return { error: { code: INVALID_REQUEST, message: "the request is too long" } };
    const result = await this.#listener.asked(method, params);
    return result === null ? { error: { code: METHOD_NOT_FOUND, message: `${method} is not offered` } } : { result };
  }

  #send(fields: Fields): void {
    this.#input?.write(`${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`);
  }

  #keepStray(line: string): void {
    if (line.trim() === "") return;
    this.#stray.push(plainText(line.trimEnd()));
    if (this.#stray.length > STRAY_LINES) this.#stray.shift();
  }
}
