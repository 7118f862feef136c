import { expect, test } from "vitest";
import { NO_USAGE } from "../core/policy/cost.ts";
import type { Spending } from "../ports/store.ts";
import { costLines, costText, tokensText, total } from "./cost-lines.ts";

const USED = { input: 1_000_000, output: 100_000, cache_read: 0, cache_write: 0 };
const PRICES = { opus: { input: 3, output: 15, cache_read: null, cache_write: null } };

const spent = (over: Partial<Spending>): Spending => ({
  key: "F-1",
  agent: "coder",
  model: "opus",
  attempts: 1,
  untold: 0,
  partial: 0,
  usage: USED,
  costed: 0,
  cost_usd: 0,
  uncosted: NO_USAGE,
  ...over,
});
const OWN = { costed: 1, cost_usd: 2 };
const NONE = { usage: NO_USAGE, uncosted: NO_USAGE, untold: 1 };

test("the agent's own figure comes before the price table", () => {
  expect(costLines([spent(OWN)], PRICES)).toEqual([
    {
      key: "F-1",
      attempts: 1,
      usage: USED,
      untold: 0,
      partial: 0,
      cost_usd: 2,
      cost_known: { agent: 1, prices: 0, unknown: 0 },
    },
  ]);
});

test("what an agent does not price is priced by its model; what nobody prices is unknown", () => {
  const [priced] = costLines([spent({ uncosted: USED })], PRICES);
  expect(priced).toMatchObject({ cost_usd: 4.5, cost_known: { agent: 0, prices: 1, unknown: 0 } });
  for (const model of [null, "haiku", "constructor"])
    expect(costLines([spent({ uncosted: USED, model })], PRICES)).toMatchObject([
      { cost_usd: null, cost_known: { agent: 0, prices: 0, unknown: 1 } },
    ]);
});

test("lines of one key are one, the dearest stands first, and the total is of all", () => {
  const lines = costLines(
    [
      spent({ key: "F-1", ...NONE }),
      spent({ key: "F-2", ...OWN, cost_usd: 1 }),
      spent({ key: "F-3", uncosted: USED, attempts: 3, untold: 1, partial: 1 }),
      spent({ key: "F-2", agent: "other", ...NONE }),
    ],
    PRICES,
  );
  expect(lines.map(({ key, cost_usd, cost_known }) => [key, cost_usd, cost_known.unknown])).toEqual([
    ["F-3", 4.5, 1],
    ["F-2", 1, 1],
    ["F-1", null, 1],
  ]);
  const sum = total(lines);
  expect(sum).toMatchObject({ attempts: 6, untold: 3, partial: 1, cost_usd: 5.5 });
  expect(sum.cost_known).toEqual({ agent: 1, prices: 2, unknown: 3 });
  expect(lines.map(costText)).toEqual(["at least $4.50 + unknown", "$1.00 + unknown", "unknown"]);
  expect(lines.map((line) => tokensText(line, 7))).toEqual(["7+", "7+", "unknown"]);
});

test("a cost below a dollar has four places", () => {
  const [line] = costLines([spent({ ...OWN, cost_usd: 0.04214 })], {});
  expect(costText(line!)).toBe("$0.0421");
  expect(tokensText(line!, 1_200)).toBe("1200");
});
