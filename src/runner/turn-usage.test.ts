import { expect, test } from "vitest";
import type { AgentEnd } from "../ports/agent.ts";
import { TurnUsage } from "./turn-usage.ts";

const END: AgentEnd = { outcome: "succeeded", error: null, summary: null, usage: null, cost_usd: null };
const tokens = (input: number) => ({ input, output: 1, cache_read: null, cache_write: 2 });
const event = (input: number, cost_usd: number | null) => ({ type: "usage", usage: tokens(input), cost_usd }) as const;

test("one turn is told as it tells itself", () => {
  const used = new TurnUsage();
  expect(used.heard(event(5, 1))).toEqual(event(5, 1));
  expect(used.heard({ type: "text", text: "so" })).toEqual({ type: "text", text: "so" });
  expect(used.ended({ ...END, usage: tokens(7), cost_usd: 2 })).toEqual({ ...END, usage: tokens(7), cost_usd: 2 });
  expect(new TurnUsage().ended(END)).toEqual(END);
});

test("turns are added up, each by its last word", () => {
  const used = new TurnUsage();
  used.heard(event(5, 1));
  used.ended({ ...END, usage: tokens(7), cost_usd: 2 });
  const both = { usage: { input: 17, output: 2, cache_read: null, cache_write: 4 }, cost_usd: 5 };
  expect(used.heard(event(10, 3))).toEqual({ type: "usage", ...both });
  expect(used.ended({ ...END, usage: tokens(10), cost_usd: 3 })).toEqual({ ...END, ...both });
});

test("of a turn that did not get to say its last word, what was heard counts", () => {
  const used = new TurnUsage();
  used.heard(event(5, 1));
  // It stays untold what the last turn used, and so all of it: whoever followed has what was heard.
  expect(used.ended(END)).toEqual(END);
  expect(used.ended({ ...END, usage: tokens(10), cost_usd: 3 })).toMatchObject({ usage: { input: 15 }, cost_usd: 4 });
});

test("where one turn has no price, all have none", () => {
  const used = new TurnUsage();
  used.ended({ ...END, usage: tokens(5), cost_usd: 1 });
  expect(used.ended({ ...END, usage: tokens(5) })).toMatchObject({ usage: { input: 10 }, cost_usd: null });
  expect(used.ended({ ...END, usage: tokens(5), cost_usd: 1 })).toMatchObject({ usage: { input: 15 }, cost_usd: null });
});
