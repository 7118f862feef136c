import type { AgentRequest } from "../../ports/agent.ts";
import type { ClaudeSaid } from "./claude-end.ts";
import type { ClaudeMeter, ClaudeUsed } from "./claude-meter.ts";
import {
  type ClaudeAnswer,
  type ClaudeLine,
  type ClaudeResult,
  type ClaudeRetry,
  readClaudeBeginning,
  readClaudeLine,
} from "./claude-stream.ts";
import type { ClaudeTalk } from "./claude-talk.ts";
import { LastWord } from "./last-word.ts";
import { plainText } from "./plain-text.ts";

/** It renews an expired login by itself after the first refusal; after the second it never succeeds, but tries for minutes. */
const REFUSALS_MAX = 2;

/** How it says that it does not know the conversation that it was to go on with; then it ends before it has begun. */
const UNKNOWN_SESSION = /no conversation found|requires a valid session ID/i;

/** Of what it writes beside its events, this many of the last lines stand in an error. */
const STRAY_LINES = 5;

/** What one attempt is heard to say, and when that is enough. */
export class ClaudeHearing {
  readonly #request: AgentRequest;
  readonly #talk: ClaudeTalk;
  readonly #meter: ClaudeMeter;
  readonly #lastWord: LastWord;
  readonly #decideMs: number;
  readonly #stray: string[] = [];
  #result: ClaudeResult | null = null;
  #used: ClaudeUsed = { usage: null, cost_usd: null, partial: false };
  #limit: ClaudeSaid["limit"] = null;
  #givenUp: NonNullable<ClaudeSaid["givenUp"]> | null = null;
  #isCut = false;
  #decision: NodeJS.Timeout | null = null;
  /** It was told to go on with a conversation, and has not said that it does. */
  #isResuming: boolean;
  #lost: string | null = null;

  /** `stop` aborts when words have not ended it. */
  constructor(
    request: AgentRequest,
    talk: ClaudeTalk,
    meter: ClaudeMeter,
    stop: AbortSignal,
    times: { exitGraceMs: number; decideMs: number; isResuming: boolean },
  ) {
    this.#isResuming = times.isResuming;
    this.#request = request;
    this.#talk = talk;
    this.#meter = meter;
    this.#lastWord = new LastWord(stop, times.exitGraceMs, request.signal);
    this.#decideMs = times.decideMs;
  }

  /** Aborts when signals have to end it. */
  get signal(): AbortSignal {
    return this.#lastWord.signal;
  }

  /** What it says of the conversation that it was to go on with, and does not know. */
  get lost(): string | null {
    return this.#lost;
  }

  hear(line: string, leftOut: number): void {
    if (leftOut > 0) this.#hearPart(line, leftOut);
    else this.#hearWhole(line);
  }

  said(): ClaudeSaid {
    const { isOwn } = this.#lastWord;
    return {
      result: this.#result,
      used: this.#used,
      is_own: isOwn,
      limit: this.#limit,
      isCut: this.#isCut,
      givenUp: this.#givenUp,
      isStopped: !isOwn && this.#request.signal.aborted,
      stray: plainText(this.#stray.join("\n")),
    };
  }

  close(): void {
    this.#lastWord.close();
    this.#undecide();
  }

  #hearPart(line: string, leftOut: number): void {
    this.#note(`a line was too long to be read: ${leftOut} bytes of it were left out`);
    const asks = readClaudeBeginning(line);
    if (asks !== null) this.#talk.cannotJudge(asks);
  }

  #hearWhole(line: string): void {
    const { is_event, events, asks, result, answer, limit, retry, isCut } = readClaudeLine(line);
    if (!is_event) this.#keepStray(line);
    if (events.some(({ type }) => type === "session")) this.#isResuming = false;
    if (asks !== undefined) void this.#talk.asks(asks);
    if (limit !== undefined) this.#limit = limit;
    if (isCut !== undefined) this.#isCut = isCut;
    if (isCut === false) this.#undecide();
    if (retry !== undefined) this.#retries(retry, events);
    else if (limit != null) this.#decide({ kind: "limit", until: null }, this.#decideMs);
    for (const event of events) this.#request.tell(event);
    if (answer !== undefined) this.#hearAnswer(answer);
    if (result !== undefined) this.#ended(result);
  }

  /** Its own retries go on for minutes, where nothing would change. */
  #retries({ kind, attempt, delay_ms }: ClaudeRetry, events: ClaudeLine["events"]): void {
    if (kind === "other" || this.#result !== null) return;
    const until = kind === "auth" ? null : Date.now() + delay_ms;
    for (const event of events) if (event.type === "limit") event.until = until;
    const isClear = kind === "auth" ? attempt >= REFUSALS_MAX : delay_ms > this.#decideMs;
    if (isClear) this.#giveUp({ kind, until });
    else this.#decide({ kind, until: null }, this.#decideMs);
  }

  #decide(why: NonNullable<ClaudeSaid["givenUp"]>, ms: number): void {
    this.#decision ??= setTimeout(() => this.#giveUp(why), ms);
  }

  #giveUp(why: NonNullable<ClaudeSaid["givenUp"]>): void {
    if (this.#result !== null || this.#request.signal.aborted) return;
    this.#givenUp ??= why;
    this.#lastWord.end();
  }

  #undecide(): void {
    if (this.#decision !== null) clearTimeout(this.#decision);
    this.#decision = null;
  }

  #hearAnswer(answer: ClaudeAnswer): void {
    const usage = this.#meter.hear(answer);
    if (usage !== null) this.#request.tell({ type: "usage", usage, cost_usd: null });
  }

  #ended(result: ClaudeResult): void {
    if (this.#result === null && this.#isResuming && UNKNOWN_SESSION.test(result.text ?? "")) {
      this.#lost = result.text;
      this.#over(result);
      return;
    }
    this.#used = this.#meter.result(result);
    const { usage, cost_usd } = this.#used;
    if (usage !== null) this.#request.tell({ type: "usage", usage, cost_usd });
    // Of a helper that ended later: it costs, and changes nothing else.
    if (this.#result !== null) return;
    this.#undecide();
    // One that could not sum up its conversation goes on in it as it is.
    if (!this.#request.signal.aborted && this.#talk.goOn()) return;
    this.#over(result);
  }

  #over(result: ClaudeResult): void {
    this.#undecide();
    this.#result = result;
    this.#lastWord.said();
    this.#talk.end();
  }

  #note(text: string): void {
    this.#request.tell({ type: "note", text });
  }

  #keepStray(line: string): void {
    if (line.trim() === "") return;
    this.#stray.push(plainText(line.trimEnd()));
    if (this.#stray.length > STRAY_LINES) this.#stray.shift();
  }
}
