import type { AgentRequest } from "../../ports/agent.ts";
import type { CodexSaid } from "./codex-end.ts";
import type { CodexFailure } from "./codex-failure.ts";
import { type CodexNotice, readCodexLine } from "./codex-stream.ts";
import type { CodexTalk } from "./codex-talk.ts";
import { CodexUsage } from "./codex-usage.ts";
import { LastWord } from "./last-word.ts";
import { plainText } from "./plain-text.ts";

/** It renews an expired login by itself after the first refusal; after the second it never succeeds, but tries on. */
const REFUSALS_MAX = 2;

/** Its own retries are bounded by its settings, five as it comes; nobody means more than this in a row. */
const RETRIES_MAX = 30;

/** A login or a limit that turned it away is no passing trouble: soon enough for whoever waits, late enough to renew a login. */
export const DECIDE_MS = 15_000;

/** Of what it writes beside its messages, this many of the last lines stand in an error. */
const STRAY_LINES = 5;

/** Of a line that is too long to be read: the tool that it says has ended, which would else be taken to run for ever. */
const ENDED_ITEM = /"method":"item\/completed".{0,200}?"id":"([^"\\]{1,200})"/;

/** What one attempt is heard to say, and when that is enough. */
export class CodexHearing {
  readonly #request: AgentRequest;
  readonly #talk: CodexTalk;
  readonly #lastWord: LastWord;
  readonly #usage = new CodexUsage();
  readonly #stray: string[] = [];
  #said: Omit<CodexSaid, "is_own" | "refused" | "stray"> = {
    end: null,
    summary: null,
    givenUp: null,
    windows: [],
    usage: null,
  };
  readonly #decideMs: number;
  #refusals = 0;
  #retries = 0;
  #decision: NodeJS.Timeout | null = null;

  /** `stop` aborts when words have not ended it. */
  constructor(
    request: AgentRequest,
    talk: CodexTalk,
    stop: AbortSignal,
    times: { exitGraceMs: number; decideMs: number },
  ) {
    this.#request = request;
    this.#talk = talk;
    this.#lastWord = new LastWord(stop, times.exitGraceMs, request.signal);
    this.#decideMs = times.decideMs;
  }

  /** Aborts when signals have to end it. */
  get signal(): AbortSignal {
    return this.#lastWord.signal;
  }

  hear(line: string, leftOut: number): void {
    const read = readCodexLine(line);
    if (leftOut > 0) this.#hearPart(line, leftOut);
    else if (read.kind === "stray") this.#keepStray(line);
    else if (read.kind === "answer") this.#talk.answered(read);
    else if (read.kind === "request") this.#talk.asks(read);
    else this.#hearNotice(read);
  }

  said(): CodexSaid {
    const { refused } = this.#talk;
    const is_own = this.#lastWord.isOwn || !this.#request.signal.aborted;
    return { ...this.#said, is_own, refused, stray: plainText(this.#stray.join("\n")) };
  }

  close(): void {
    this.#lastWord.close();
    this.#undecide();
  }

  #hearPart(line: string, leftOut: number): void {
    const { tell } = this.#request;
    tell({ type: "note", text: `a line was too long to be read: ${leftOut} bytes of it were left out` });
    const id = ENDED_ITEM.exec(line)?.[1];
    if (id !== undefined) tell({ type: "tool_ended", id });
  }

  #hearNotice(notice: CodexNotice): void {
    const { events, thread, tokens, failure, windows, end } = notice;
    for (const event of events) this.#request.tell(event);
    if (windows !== undefined) this.#said.windows = windows;
    if (tokens !== undefined) this.#count(tokens);
    // A helper has a conversation of its own, and its end is not the attempt's.
    if (thread === null || thread !== this.#talk.thread) return;
    for (const event of events) if (event.type === "text") this.#said.summary = event.text;
    if (notice.is_work) this.#works();
    if (failure !== undefined) this.#failed(failure);
    if (end !== undefined && notice.turn === this.#talk.turn) this.#ended(end);
  }

  #count(tokens: NonNullable<CodexNotice["tokens"]>): void {
    const isOwn = tokens.thread === this.#talk.thread;
    const usage = this.#usage.take(tokens, isOwn && tokens.turn !== this.#talk.turn);
    if (usage === null) return;
    this.#said.usage = usage;
    this.#request.tell({ type: "usage", usage, cost_usd: null });
  }

  #works(): void {
    this.#refusals = 0;
    this.#retries = 0;
    this.#undecide();
  }

  #failed(failure: NonNullable<CodexNotice["failure"]>): void {
    this.#retries += 1;
    if (failure.kind === "login") this.#refusals += 1;
    if (failure.kind === "login" || failure.kind === "limit") {
      this.#decision ??= setTimeout(() => this.#giveUp(failure), this.#decideMs);
    }
    // The end of a turn that is given up by itself says the same, and follows at once.
    if (failure.will_retry && (this.#refusals >= REFUSALS_MAX || this.#retries > RETRIES_MAX)) this.#giveUp(failure);
  }

  #giveUp(failure: CodexFailure): void {
    if (this.#said.end !== null) return;
    this.#said.givenUp ??= failure;
    this.#lastWord.said();
    this.#lastWord.end();
  }

  #undecide(): void {
    if (this.#decision !== null) clearTimeout(this.#decision);
    this.#decision = null;
  }

  #ended(end: NonNullable<CodexNotice["end"]>): void {
    if (this.#said.end !== null || this.#said.givenUp !== null) return;
    this.#said.end = end;
    this.#undecide();
    this.#lastWord.said();
    this.#talk.end();
  }

  #keepStray(line: string): void {
    if (line.trim() === "") return;
    this.#stray.push(plainText(line.trimEnd()));
    if (this.#stray.length > STRAY_LINES) this.#stray.shift();
  }
}
