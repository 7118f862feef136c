import type { AgentRequest } from "../../ports/agent.ts";
import { type CodexSaid, resetOf } from "./codex-end.ts";
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

const DECIDED: readonly CodexFailure["kind"][] = ["login", "limit", "overload"];

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
  /** Answers of the model that it may have; null: as many as it likes. */
  readonly #turnsMax: number | null;
  #answers = 0;
  #hasTool = false;
  #refusals = 0;
  #retries = 0;
  #decision: NodeJS.Timeout | null = null;

  /** `stop` aborts when words have not ended it. */
  constructor(
    request: AgentRequest,
    talk: CodexTalk,
    stop: AbortSignal,
    bounds: { exitGraceMs: number; decideMs: number; turnsMax: number | null },
  ) {
    this.#request = request;
    this.#talk = talk;
    this.#lastWord = new LastWord(stop, bounds.exitGraceMs, request.signal);
    this.#decideMs = bounds.decideMs;
    this.#turnsMax = bounds.turnsMax;
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
    else if (read.kind === "request") void this.#talk.asks(read);
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
    const { events, thread, changes, tokens, failure, windows, end } = notice;
    if (changes !== undefined) this.#talk.changes(changes.item, changes.paths);
    if (windows !== undefined) this.#said.windows = windows;
    for (const event of events) {
      this.#request.tell(event.type === "limit" ? { ...event, until: resetOf(this.#said.windows) } : event);
    }
    if (tokens !== undefined) this.#count(tokens);
    if (end !== undefined) this.#talk.turnEnded(thread);
    // A helper has a conversation of its own, and its end is not the attempt's.
    if (thread === null || thread !== this.#talk.thread) return;
    for (const event of events) if (event.type === "text") this.#said.summary = event.text;
    if (events.some(({ type }) => type === "tool")) this.#hasTool = true;
    if (notice.is_work) this.#works();
    if (failure !== undefined) this.#failed(failure);
    if (end !== undefined && notice.turn === this.#talk.turn) this.#ended(end);
  }

  #count(tokens: NonNullable<CodexNotice["tokens"]>): void {
    const isOwn = tokens.thread === this.#talk.thread;
    const isTurn = isOwn && tokens.turn === this.#talk.turn;
    const usage = this.#usage.take(tokens, isOwn && !isTurn);
    if (isTurn) this.#answered();
    if (usage === null) return;
    this.#said.usage = usage;
    this.#request.tell({ type: "usage", usage, cost_usd: null });
  }

  /** Its model has answered once more. One that used a tool would have to be asked again. */
  #answered(): void {
    this.#answers += 1;
    const isOver = this.#turnsMax !== null && this.#answers >= this.#turnsMax && this.#hasTool;
    this.#hasTool = false;
    if (!isOver || this.#said.end !== null || this.#said.givenUp !== null) return;
    this.#said.givenUp = { kind: "turns", text: `${this.#turnsMax}`, status: null };
    this.#lastWord.said();
    this.#talk.interrupt();
  }

  #works(): void {
    this.#refusals = 0;
    this.#retries = 0;
    this.#undecide();
  }

  #failed(failure: NonNullable<CodexNotice["failure"]>): void {
    this.#retries += 1;
    if (failure.kind === "login") this.#refusals += 1;
    if (DECIDED.includes(failure.kind)) {
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
    if (this.#said.end !== null) return;
    this.#undecide();
    if (this.#said.givenUp !== null) {
      // It was broken off for that, and has nothing more to say.
      this.#talk.end();
      return;
    }
    this.#said.end = end;
    this.#lastWord.said();
    this.#talk.end();
  }

  #keepStray(line: string): void {
    if (line.trim() === "") return;
    this.#stray.push(plainText(line.trimEnd()));
    if (this.#stray.length > STRAY_LINES) this.#stray.shift();
  }
}
