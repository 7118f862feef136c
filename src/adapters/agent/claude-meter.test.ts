import { expect, test } from "vitest";
import type { Usage } from "../../core/task/rows.ts";
import { ClaudeMeter } from "./claude-meter.ts";
import { NOTHING_SPENT } from "./claude-spent.ts";
import type { ClaudeResult } from "./claude-stream.ts";

const of = (tokens: number, output = tokens): Usage => ({
  ...{ input: tokens, output, cache_read: tokens, cache_write: tokens },
});
const RESULT: ClaudeResult = {
  ...{ subtype: "success", is_error: false, text: null, api_error_status: null, api_error: null },
  ...{ usage: of(100), cost_usd: 1, spent: { usage: of(100), cost_usd: 1 } },
};

test("what it used is what its models did, with its helpers and the last answer before the end of its budget", () => {
  const meter = new ClaudeMeter(NOTHING_SPENT);
  expect(meter.result({ ...RESULT, spent: { usage: of(1_100), cost_usd: 1 } })).toEqual({
    ...{ usage: of(1_100), cost_usd: 1, partial: false },
  });
});

test("what its conversation had cost before is none of its own", () => {
  const before = { usage: of(1_000), cost_usd: 0.75 };
  const spent = { usage: of(1_300), cost_usd: 1 };
  expect(new ClaudeMeter(before).result({ ...RESULT, spent })).toEqual({
    ...{ usage: of(300), cost_usd: 0.25, partial: false },
  });
});

test("results one after the other tell what is used until then, of which a summing-up of itself tells nothing", () => {
  const meter = new ClaudeMeter({ usage: of(1_000), cost_usd: 0.5 });
  const summed = { ...RESULT, usage: of(0), spent: { usage: of(1_200), cost_usd: 0.6 }, cost_usd: 0.6 };
  expect(meter.result(summed)).toMatchObject({ usage: of(200) });
  expect(meter.result({ ...RESULT, spent: { usage: of(1_300), cost_usd: 1 } })).toMatchObject({
    ...{ usage: of(300), cost_usd: 0.5, partial: false },
  });
});

test("each answer counts once as it begins, however many parts it has", () => {
  const meter = new ClaudeMeter(NOTHING_SPENT);
  expect(meter.hear({ id: "a", usage: of(100, 1) })).toEqual(of(100, 1));
  expect(meter.hear({ id: "a", usage: of(100, 1) })).toBeNull();
  expect(meter.hear({ id: "b", usage: of(50, 1) })).toEqual(of(150, 2));
});

test("sums that lack what was heard, or tell less than its own answers used, are not believed: then it is at least that", () => {
  const heard = { id: "a", usage: of(700, 1) };
  const atLeast = { usage: { ...of(700), output: 100 }, partial: true };
  const without = new ClaudeMeter(NOTHING_SPENT);
  without.hear(heard);
  expect(without.result({ ...RESULT, spent: null })).toMatchObject(atLeast);
  const odd = new ClaudeMeter({ usage: of(50), cost_usd: 3 });
  odd.hear(heard);
  expect(odd.result(RESULT)).toEqual({ ...atLeast, cost_usd: null });
});

test("where nobody knows what its conversation had cost before, it is at least what it told, at an unknown price", () => {
  const meter = new ClaudeMeter(null);
  expect(meter.result(RESULT)).toEqual({ usage: of(100), cost_usd: null, partial: true });
});

test("one that tells no sums, and nothing that contradicts it, is taken at its word; one that tells nothing used who knows what", () => {
  expect(new ClaudeMeter(NOTHING_SPENT).result({ ...RESULT, spent: null })).toEqual({
    ...{ usage: of(100), cost_usd: 1, partial: false },
  });
  expect(new ClaudeMeter(NOTHING_SPENT).result({ ...RESULT, usage: null, spent: null, cost_usd: null })).toEqual({
    ...{ usage: null, cost_usd: null, partial: true },
  });
});
