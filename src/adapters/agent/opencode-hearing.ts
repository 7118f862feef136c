import { NO_USAGE, plus } from "../../core/policy/cost.ts";
import type { Usage } from "../../core/task/rows.ts";
import type { AgentEvent, AgentRequest, AgentSpec } from "../../ports/agent.ts";
import { DECIDE_MS } from "./decide-time.ts";
import type { OpenCodeTurnEnd } from "./opencode-end.ts";
import { type OpenCodeNotice, type OpenCodeStep, type OpenCodeTool, readOpenCodeEvent } from "./opencode-events.ts";
import { type OpenCodeFailure, openCodeError, openCodeRetry } from "./opencode-failure.ts";
import type { OpenCodeAsk } from "./opencode-permission.ts";
import { OpenCodeSumming } from "./opencode-summing.ts";
import { shortText } from "./plain-text.ts";
import type { Fields } from "./wire-fields.ts";

/** It gives up by itself after five retries; nobody means more than this for one answer. */
const RETRIES_MAX = 20;

/** Parts that are told more than once, and tools at once: whoever has more may hear the oldest again. */
const PARTS_MAX = 10_000;

export interface OpenCodeTimes {
  /** How long after the first word of a login, a limit or an empty purse it may still find a way. */
  decideMs: number;
  /** How long it may try anew for one answer; its own five retries take a bit more than a minute. */
  troubleMs: number;
  /** From an error to the end of the turn that it is of: some errors come without one. */
  errorMs: number;
}

/** Soon enough for whoever waits, late enough for what passes by itself. */
export const OPENCODE_TIMES: OpenCodeTimes = { decideMs: DECIDE_MS, troubleMs: 90_000, errorMs: 5_000 };

/** What becomes of what it wants. */
export interface OpenCodeListener {
  /** `tool`: the name of the tool that it is about, where that has been heard of. */
  asked(ask: OpenCodeAsk, tool: string | null): void;
  questioned(question: string): void;
  /** The turn is over, if this says nothing against it: true when it goes on after all. */
  goesOn(finish: string | null): boolean;
}

type Caps = Pick<AgentSpec, "turns_max" | "budget_usd">;

/** What one turn is heard to say, and when that is enough. */
export class OpenCodeHearing {
  /** The conversation of the turn; null until it is known. */
  session: string | null = null;
  summary: string | null = null;
  usage: Usage | null = null;
  readonly #request: AgentRequest;
  readonly #caps: Caps;
  readonly #times: OpenCodeTimes;
  readonly #listener: OpenCodeListener;
  readonly #told = new Set<string>();
  readonly #tools = new Map<string, string>();
  readonly #timers = new Map<"decide" | "error", NodeJS.Timeout>();
  #cost = 0;
  #steps = 0;
  #retries = 0;
  #troubleSince = 0;
  #finish: string | null = null;
  #failure: OpenCodeFailure | null = null;
  /** The message by which the conversation was summed up last. */
  #summary: string | undefined;
  #summing: OpenCodeSumming | null = null;
  #isTold = false;
  #isOver = false;
  #end: OpenCodeTurnEnd | null = null;
  #over!: () => void;
  /** Resolves when the turn is over. */
  readonly over = new Promise<void>((resolve) => {
    this.#over = resolve;
  });

  constructor(request: AgentRequest, caps: Caps, times: OpenCodeTimes, listener: OpenCodeListener) {
    this.#request = request;
    this.#caps = caps;
    this.#times = times;
    this.#listener = listener;
  }

  get end(): OpenCodeTurnEnd | null {
    return this.#end;
  }

  /** In US dollars. Of a model that it has no price for it says nothing but 0. */
  get cost_usd(): number | null {
    return this.#cost > 0 ? this.#cost : null;
  }

  /** The first end counts; null: nobody knows how. */
  finish(end: OpenCodeTurnEnd | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end = end;
    for (const name of this.#timers.keys()) this.#unset(name);
    this.#over();
  }

  /** Tells which conversation it is, once. */
  tellSession(model: string | null): void {
    if (this.session === null || this.#isTold) return;
    this.#isTold = true;
    this.#tell({ type: "session", session: this.session, model });
  }

  /** What is heard now is of a summing-up before the turn's prompt. */
  sumsUp(): OpenCodeSumming {
    this.#summing = new OpenCodeSumming();
    return this.#summing;
  }

  /** The prompt of the turn is about to be said. */
  prompts(): void {
    for (const name of this.#timers.keys()) this.#unset(name);
    this.#retries = 0;
    if (this.#summing !== null) this.#summing.isPast = true;
  }

  hear(event: Fields): void {
    const notice = readOpenCodeEvent(event);
    for (const each of notice.events ?? []) this.#tell(each);
    if (notice.tool !== undefined) this.#hearTool(notice.tool);
    const { step } = notice;
    const isCounted = step !== undefined && this.#isNew(step.part);
    if (isCounted) this.#count(step);
    if (notice.ask !== undefined) this.#listener.asked(notice.ask, this.#tools.get(notice.ask.call ?? "") ?? null);
    if (notice.question !== undefined) this.#listener.questioned(notice.question);
    // A helper has a conversation of its own, and its end is not the turn's.
    if (this.session === null || notice.session !== this.session) return;
    if (notice.is_summary === true) this.#summary = notice.message;
    if (this.#summing?.isPast && (notice.is_work !== undefined || notice.error !== undefined)) this.#summing = null;
    if (this.#summing !== null) {
      this.#hearSumming(this.#summing, notice);
      return;
    }
    const isSummary = notice.message !== undefined && notice.message === this.#summary;
    this.#hearOwn(notice, isSummary);
    if (isCounted && !isSummary) this.#works(step);
  }

  /** It comes to rest more than once, and none of that ends the turn. */
  #hearSumming(summing: OpenCodeSumming, { is_summed_up, is_work, retry, error, is_idle }: OpenCodeNotice): void {
    if (is_summed_up === true) summing.isDone = true;
    if (is_work === "words") this.#unset("decide");
    if (retry !== undefined) this.#hearRetry(retry);
    if (error !== undefined) summing.fails(openCodeError(error, Date.now()));
    if (is_idle === true) summing.rests();
  }

  #hearOwn({ model, said, retry, error, is_idle, is_work }: OpenCodeNotice, isSummary: boolean): void {
    if (model !== undefined) this.tellSession(model);
    if (is_work !== undefined) this.#unset("error");
    if (is_work === "words") this.#unset("decide");
    if (said !== undefined && !isSummary && this.#isNew(said.part)) {
      this.summary = said.text;
      this.#tell({ type: "text", text: said.text });
    }
    if (retry !== undefined) this.#hearRetry(retry);
    if (error !== undefined) this.#hearError(error);
    if (is_idle === true) this.#hearIdle();
  }

  #hearTool({ call, name, about, state, why }: OpenCodeTool): void {
    if (!this.#tools.has(call) && this.#isNew(call)) {
      this.#tools.set(call, name);
      this.#tell({ type: "tool", name, about, id: call });
    }
    if (state === "begun" || !this.#tools.delete(call)) return;
    this.#tell({ type: "tool_ended", id: call });
    if (state === "failed" && !REFUSED.test(why)) this.#tell({ type: "note", text: `a tool failed: ${why}` });
  }

  #count({ usage, cost_usd }: OpenCodeStep): void {
    this.usage = plus(this.usage ?? NO_USAGE, usage);
    this.#cost += cost_usd;
    this.#tell({ type: "usage", usage: this.usage, cost_usd: this.cost_usd });
  }

  /** The model has answered to the end: whatever had failed before works again. */
  #works({ reason }: OpenCodeStep): void {
    this.#finish = reason;
    this.#failure = null;
    this.#retries = 0;
    this.#steps += 1;
    if (reason !== "tool-calls") return;
    const { turns_max, budget_usd } = this.#caps;
    if (turns_max !== undefined && this.#steps >= turns_max) this.finish({ kind: "capped", cap: "turn_cap" });
    if (budget_usd !== undefined && this.#cost >= budget_usd) this.finish({ kind: "capped", cap: "budget_cap" });
  }

  #hearRetry(retry: Fields): void {
    const failure = openCodeRetry(retry, Date.now());
    if (this.#retries === 0) this.#troubleSince = performance.now();
    this.#retries += 1;
    const isTooLong = this.#retries > RETRIES_MAX || performance.now() - this.#troubleSince > this.#times.troubleMs;
    this.#tell({ type: "limit", text: `it tries again: ${shortText(failure.text)}`, until: failure.until });
    const giveUp = (): void => {
      if (this.#summing === null) this.finish({ kind: "given_up", failure });
      else this.#summing.givesUp(failure);
    };
    if (failure.is_late || isTooLong) giveUp();
    else if (CLEAR.includes(failure.kind)) this.#set("decide", this.#times.decideMs, giveUp);
  }

  #hearError(error: Fields): void {
    // The end of a turn says again, in other words, what went wrong.
    this.#failure ??= openCodeError(error, Date.now());
    this.#set("error", this.#times.errorMs, () => this.#hearIdle());
  }

  #hearIdle(): void {
    if (this.#isOver) return;
    if (this.#failure === null && this.#listener.goesOn(this.#finish)) return;
    this.finish({ kind: "idle", finish: this.#finish, failure: this.#failure });
  }

  #isNew(part: string): boolean {
    if (this.#told.has(part)) return false;
    this.#told.add(part);
    if (this.#told.size > PARTS_MAX) for (const oldest of this.#told) return this.#told.delete(oldest);
    return true;
  }

  /** The first counts: what comes later is more of the same. */
  #set(name: "decide" | "error", ms: number, act: () => void): void {
    if (!this.#isOver && !this.#timers.has(name)) this.#timers.set(name, setTimeout(act, ms));
  }

  #unset(name: "decide" | "error"): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  #tell(event: AgentEvent): void {
    this.#request.tell(event);
  }
}

/** No passing trouble. */
const CLEAR: readonly OpenCodeFailure["kind"][] = ["auth", "limit", "credit"];

/** Told already, as what it was refused. */
const REFUSED = /rejected permission/i;
