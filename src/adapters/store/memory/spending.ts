import { NO_USAGE, plus } from "../../../core/policy/cost.ts";
import type { AttemptRow } from "../../../core/task/rows.ts";
import type { Spending, SpendingBy } from "../../../ports/store.ts";
import { byCodePoint } from "../order.ts";

export function spendingOf(attempts: readonly AttemptRow[], by: SpendingBy): Spending[] {
  const found = new Map<string, Spending>();
  for (const attempt of attempts.filter(({ kind, state }) => kind === "run" && state === "settled")) {
    const { agent, model } = attempt;
    const key = by === "day" ? new Date(attempt.started_at).toISOString().slice(0, 10) : attempt[by];
    const place = JSON.stringify([key, agent, model]);
    found.set(place, withAttempt(found.get(place) ?? { key, agent, model, ...NOTHING }, attempt));
  }
  return [...found].sort(([a], [b]) => byCodePoint(a, b)).map(([, spending]) => spending);
}

const NOTHING = { attempts: 0, untold: 0, partial: 0, usage: NO_USAGE, costed: 0, cost_usd: 0, uncosted: NO_USAGE };

function withAttempt(sum: Spending, { usage, cost_usd, partial }: AttemptRow): Spending {
  return {
    ...sum,
    attempts: sum.attempts + 1,
    untold: sum.untold + Number(usage === null),
    partial: sum.partial + Number(partial),
    usage: plus(sum.usage, usage ?? NO_USAGE),
    costed: sum.costed + Number(cost_usd !== null),
    cost_usd: sum.cost_usd + (cost_usd ?? 0),
    uncosted: cost_usd === null ? plus(sum.uncosted, usage ?? NO_USAGE) : sum.uncosted,
  };
}
