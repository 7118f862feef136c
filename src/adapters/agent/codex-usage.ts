/** Adds up what a turn of Codex used. */

import type { Usage } from "../../core/task/rows.ts";
import { type Fields, number, object } from "./wire-fields.ts";

/** More conversations than any turn opens; what more of them use is not counted. */
const THREADS_MAX = 1_000;

/** Of one conversation since it began, over all of its turns. */
export interface CodexTokens {
  thread: string;
  turn: string | null;
  total: Usage;
  /** What the last request to the model added. */
  last: Usage;
}

/** Reads the four counts of `thread/tokenUsage/updated`: what came from the cache, or went into it, is part of its input. */
export function tokensOf(breakdown: unknown): Usage {
  const count = (name: string): number => Math.max(0, Math.trunc(number(object(breakdown)[name]) ?? 0));
  const [cache_read, cache_write] = [count("cachedInputTokens"), count("cacheWriteInputTokens")];
  const input = Math.max(0, count("inputTokens") - cache_read - cache_write);
  return { input, output: count("outputTokens"), cache_read, cache_write };
}

/** The sum over a turn's own conversation and those that it opened for its helpers. */
export class CodexUsage {
  readonly #threads = new Map<string, { before: Usage; total: Usage }>();

  /** `isBefore`: it tells what the conversation had used before this turn. Answers the sum so far; null: nothing yet. */
  take({ thread, total, last }: CodexTokens, isBefore: boolean): Usage | null {
    const known = this.#threads.get(thread);
    if (isBefore) this.#threads.set(thread, { before: total, total });
    else if (known) this.#threads.set(thread, { before: known.before, total });
    else if (this.#threads.size < THREADS_MAX) this.#threads.set(thread, { before: minus(total, last), total });
    return isBefore ? null : this.#sum();
  }

  #sum(): Usage {
    const all = [...this.#threads.values()].map(({ before, total }) => minus(total, before));
    return all.reduce(plus, { input: 0, output: 0, cache_read: 0, cache_write: 0 });
  }
}

function plus(one: Usage, other: Usage): Usage {
  return byBucket((name) => (one[name] ?? 0) + (other[name] ?? 0));
}

/** Never below nothing. */
function minus(one: Usage, other: Usage): Usage {
  return byBucket((name) => Math.max(0, (one[name] ?? 0) - (other[name] ?? 0)));
}

function byBucket(count: (name: keyof Usage) => number): Usage {
  return {
    input: count("input"),
    output: count("output"),
    cache_read: count("cache_read"),
    cache_write: count("cache_write"),
  };
}

/** Reads a notification; null where it does not say whose it is. */
export function readTokens(params: Fields, thread: string | null, turn: string | null): CodexTokens | null {
  const { total, last } = object(params["tokenUsage"]);
  return thread === null ? null : { thread, turn, total: tokensOf(total), last: tokensOf(last) };
}
