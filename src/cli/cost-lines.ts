/** What attempts used and cost, summed for people and scripts. Pure. */

import { costOf, NO_USAGE, type Price, plus } from "../core/policy/cost.ts";
import type { Usage } from "../core/task/rows.ts";
import type { Spending } from "../ports/store.ts";

export interface CostLine {
  /** The task, agent, model or day; null: not known. */
  key: string | null;
  attempts: number;
  /** Of those attempts that told it. */
  usage: Usage;
  /** Attempts that did not tell what they used. */
  untold: number;
  /** Attempts that were cut off: they used at least what they told. */
  partial: number;
  /** US dollars, of those whose cost is known; null: of none. */
  cost_usd: number | null;
  /** Attempts whose cost their agents told, or the price table; and those of which nobody knows it. */
  cost_known: { agent: number; prices: number; unknown: number };
}

/** One line for each key, the dearest first. */
export function costLines(spending: readonly Spending[], prices: Readonly<Record<string, Price>>): CostLine[] {
  const lines = new Map<string | null, CostLine>();
  for (const each of spending) lines.set(each.key, sum(lines.get(each.key) ?? empty(each.key), lineOf(each, prices)));
  return [...lines.values()].sort((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0) || tokens(b) - tokens(a));
}

export function total(lines: readonly CostLine[]): CostLine {
  return lines.reduce(sum, empty(null));
}

function lineOf(spending: Spending, prices: Readonly<Record<string, Price>>): CostLine {
  const { key, model, attempts, usage, untold, partial, costed, cost_usd, uncosted } = spending;
  // An agent that told its cost told its usage, so what told no usage is among the others.
  const unpriced = attempts - costed - untold;
  const price = model !== null && Object.hasOwn(prices, model) ? prices[model] : undefined;
  const priced = unpriced === 0 || price === undefined ? null : costOf(uncosted, price);
  const isPriced = priced !== null;
  return {
    key,
    attempts,
    usage,
    untold,
    partial,
    cost_usd: costed === 0 && !isPriced ? null : cost_usd + (priced ?? 0),
    cost_known: {
      agent: costed,
      prices: isPriced ? unpriced : 0,
      unknown: attempts - costed - (isPriced ? unpriced : 0),
    },
  };
}

function empty(key: string | null): CostLine {
  const cost_known = { agent: 0, prices: 0, unknown: 0 };
  return { key, attempts: 0, usage: NO_USAGE, untold: 0, partial: 0, cost_usd: null, cost_known };
}

function sum(a: CostLine, b: CostLine): CostLine {
  return {
    key: a.key,
    attempts: a.attempts + b.attempts,
    usage: plus(a.usage, b.usage),
    untold: a.untold + b.untold,
    partial: a.partial + b.partial,
    cost_usd: a.cost_usd === null && b.cost_usd === null ? null : (a.cost_usd ?? 0) + (b.cost_usd ?? 0),
    cost_known: {
      agent: a.cost_known.agent + b.cost_known.agent,
      prices: a.cost_known.prices + b.cost_known.prices,
      unknown: a.cost_known.unknown + b.cost_known.unknown,
    },
  };
}

function tokens({ usage }: CostLine): number {
  return usage.input + usage.output + (usage.cache_read ?? 0) + (usage.cache_write ?? 0);
}

/** `$0.0421`, `at least $1.20`, `$1.20 + unknown`, `unknown`. */
export function costText({ cost_usd, cost_known, partial }: CostLine): string {
  if (cost_usd === null) return "unknown";
  const dollars = `$${cost_usd.toFixed(cost_usd < 1 ? 4 : 2)}`;
  return `${partial > 0 ? "at least " : ""}${dollars}${cost_known.unknown > 0 ? " + unknown" : ""}`;
}

/** Of a bucket: how many tokens, as far as anybody told. */
export function tokensText({ attempts, untold, partial }: CostLine, count: number | null): string {
  if (untold === attempts || count === null) return "unknown";
  return `${count}${untold > 0 || partial > 0 ? "+" : ""}`;
}
