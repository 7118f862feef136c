import { BUCKETS, NO_USAGE, plus } from "../../core/policy/cost.ts";
import type { Usage } from "../../core/task/rows.ts";
import type { ClaudeAnswer, ClaudeResult, ClaudeSpent } from "./claude-stream.ts";

/** Answers whose parts come one by one; whoever has more at once counts the oldest again. */
const ANSWERS_MAX = 10_000;

/** What was used, and whether it may have been more than that. */
export interface ClaudeUsed {
  usage: Usage | null;
  cost_usd: number | null;
  partial: boolean;
}

/**
 * Counts what one invocation of Claude Code used. Its own `usage` leaves out its helpers, the summing-up of its
 * conversation, and at a budget's end the last answer. The sums over its models have all that, and all that the
 * conversation cost before.
 */
export class ClaudeMeter {
  readonly #before: ClaudeSpent | null;
  readonly #heardOf = new Set<string>();
  /** Of its answers, as they began: their output was not known then. */
  #heard: Usage | null = null;
  /** What its results told as theirs. */
  #told: Usage | null = null;

  /** `before`: what the conversation had cost when it was taken up; null where nobody knows. */
  constructor(before: ClaudeSpent | null) {
    this.#before = before;
  }

  /** What is known to be used now; null if that is nothing new. */
  hear({ id, usage }: ClaudeAnswer): Usage | null {
    if (this.#heardOf.has(id)) return null;
    this.#heardOf.add(id);
    if (this.#heardOf.size > ANSWERS_MAX)
      for (const oldest of this.#heardOf) {
        this.#heardOf.delete(oldest);
        break;
      }
    this.#heard = plus(this.#heard ?? NO_USAGE, usage);
    return this.#heard;
  }

  /** Once for each of its results, in their order: what was used until then. */
  result({ usage, spent, cost_usd }: ClaudeResult): ClaudeUsed {
    if (usage !== null) this.#told = plus(this.#told ?? NO_USAGE, usage);
    const least =
      this.#told === null || this.#heard === null ? (this.#told ?? this.#heard) : most(this.#told, this.#heard);
    const whole = spent === null ? this.#told : this.#since(spent);
    const isWhole = whole !== null && (least === null || covers(whole, least));
    const cost = cost_usd === null || this.#before === null ? null : cost_usd - this.#before.cost_usd;
    return { usage: isWhole ? whole : least, cost_usd: cost !== null && cost >= 0 ? cost : null, partial: !isWhole };
  }

  #since({ usage }: ClaudeSpent): Usage | null {
    return this.#before === null ? null : each((bucket) => (usage[bucket] ?? 0) - (this.#before!.usage[bucket] ?? 0));
  }
}

function most(a: Usage, b: Usage): Usage {
  return each((bucket) => Math.max(a[bucket] ?? 0, b[bucket] ?? 0));
}

function covers(a: Usage, b: Usage): boolean {
  return BUCKETS.every((bucket) => (a[bucket] ?? 0) >= (b[bucket] ?? 0));
}

function each(count: (bucket: keyof Usage) => number): Usage {
  return {
    input: count("input"),
    output: count("output"),
    cache_read: count("cache_read"),
    cache_write: count("cache_write"),
  };
}
