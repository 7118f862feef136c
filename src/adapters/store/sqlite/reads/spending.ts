import { BUCKETS, NO_USAGE } from "../../../../core/policy/cost.ts";
import type { Usage } from "../../../../core/task/rows.ts";
import type { Spending, SpendingBy } from "../../../../ports/store.ts";
import type { Database } from "../database.ts";
import type { SqlRow } from "../driver.ts";

const KEYS: Readonly<Record<SpendingBy, string>> = {
  task: "task",
  agent: "agent",
  model: "model",
  day: "date(started_at / 1000, 'unixepoch')",
};

/** Summed where the rows are: a large plan has more attempts than anybody wants to carry. What is no JSON told nothing. */
const sums = (prefix: string, condition: string): string =>
  BUCKETS.map(
    (bucket) =>
      `sum(CASE WHEN json_valid(usage) AND ${condition} THEN json_extract(usage, '$.${bucket}') END) AS ${prefix}${bucket}`,
  ).join(", ");

const SPENDING = (by: SpendingBy): string => `
  SELECT ${KEYS[by]} AS key, agent, model, count(*) AS attempts,
    sum(usage IS NULL OR NOT json_valid(usage)) AS untold, sum(partial) AS partial,
    ${sums("used_", "TRUE")},
    sum(cost_usd IS NOT NULL) AS costed, coalesce(sum(cost_usd), 0) AS cost_usd,
    ${sums("uncosted_", "cost_usd IS NULL")}
  FROM attempts WHERE plan = ? AND kind = 'run' AND state = 'settled' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;

export function spending(db: Database, plan: string, by: SpendingBy): Spending[] {
  return db
    .sql(SPENDING(by))
    .all(plan)
    .map((raw) => {
      const { key, agent, model, attempts, untold, partial, costed, cost_usd } = raw as unknown as Spending;
      const counts = { attempts, untold, partial, costed, cost_usd };
      return { key, agent, model, ...counts, usage: usageOf(raw, "used_"), uncosted: usageOf(raw, "uncosted_") };
    });
}

function usageOf(raw: SqlRow, prefix: string): Usage {
  const told = BUCKETS.map((bucket) => [bucket, raw[prefix + bucket] ?? NO_USAGE[bucket]]);
  return Object.fromEntries(told) as Usage;
}
