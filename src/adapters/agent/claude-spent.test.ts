import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Attempt } from "../../../test/fixtures/agent-attempt.ts";
import { NOTHING_SPENT, spentBefore } from "./claude-spent.ts";

const SESSION = "17837bb7-865e-4c1d-8f80-c18bf1e5ff8a";
const FILE = `projects/-somewhere/${SESSION}.jsonl`;
const model = { inputTokens: 10, outputTokens: 2, cacheReadInputTokens: 300, cacheCreationInputTokens: 4 };
const state = (totalCostUSD: number, models: object, sessionId = SESSION) =>
  JSON.stringify({ type: "cost-state", sessionId, totalCostUSD, modelUsage: models });
const SPENT = { usage: { input: 20, output: 4, cache_read: 600, cache_write: 8 }, cost_usd: 0.5 };

test("the last that it wrote down of the conversation counts, and no words of it that look the same", () => {
  const attempt = new Attempt();
  const quoted = JSON.stringify({ type: "user", message: state(9, { a: model }) });
  const written = [
    state(0.2, { a: model }),
    "{}",
    state(0.5, { a: model, b: model }),
    quoted,
    '{"type":"cost-state"',
    "",
  ];
  attempt.write(`.claude/${FILE}`, written.join("\n"));
  expect(spentBefore({ HOME: attempt.base }, SESSION)).toEqual(SPENT);
});

test("its own directory of settings is where its conversations are, if it has one", () => {
  const attempt = new Attempt();
  attempt.write(`config/${FILE}`, state(0.5, { a: model, b: model }));
  expect(spentBefore({ HOME: "/nowhere", CLAUDE_CONFIG_DIR: join(attempt.base, "config") }, SESSION)).toEqual(SPENT);
});

test("a new conversation, one that is not there, and one of a program that writes nothing down had cost nothing", () => {
  const attempt = new Attempt();
  const env = { HOME: attempt.base };
  expect(spentBefore(env, null)).toBe(NOTHING_SPENT);
  expect(spentBefore(env, SESSION)).toBe(NOTHING_SPENT);
  attempt.write(`.claude/${FILE}`, `{"type":"user"}\n${state(0.5, { a: model }, "another")}\n`);
  expect(spentBefore(env, SESSION)).toBe(NOTHING_SPENT);
  expect(spentBefore(env, "../../other")).toBe(NOTHING_SPENT);
});

test("what cannot be read is not known", () => {
  const attempt = new Attempt();
  mkdirSync(join(attempt.base, ".claude", FILE), { recursive: true });
  expect(spentBefore({ HOME: attempt.base }, SESSION)).toBeNull();
});
