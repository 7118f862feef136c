import { expect, test } from "vitest";
import type { HoldRow } from "../task/rows.ts";
import { heldForPerson } from "./held-for-person.ts";
import { type Draws, heldText } from "./holds.ts";

const HOLD: HoldRow = {
  ...{ project: "", key: "account:claude", until: null, why: "Invalid API key", known_from: "person" },
  ...{ count: 1, over: false },
};

const DRAWS = new Map<string, Draws>([
  ["one", { account: "claude", provider: null, model: null }],
  ["two", { account: "claude", provider: null, model: "opus" }],
  ["other", { account: "codex", provider: null, model: null }],
]);

test.each<[string, Partial<HoldRow>, string[], string]>([
  ["an account", {}, ["one", "two"], "lockstep agent release one"],
  ["a model", { key: "model:claude/opus" }, ["two"], "lockstep agent release two"],
  ["an agent", { key: "agent:other", known_from: null }, ["other"], "lockstep agent release other"],
])("%s that is held without an end names its agents, and the command that frees them", (_, over, agents, command) => {
  const hold = { ...HOLD, ...over };
  expect(heldForPerson([hold], DRAWS, 5)).toEqual([{ hold, agents, command }]);
});

test.each<[string, Partial<HoldRow>]>([
  ["what ends by itself", { until: 9 }],
  ["what is over", { over: true }],
  ["what no agent of the project draws on", { key: "account:gemini" }],
])("%s waits for nobody", (_, over) => {
  expect(heldForPerson([{ ...HOLD, ...over }], DRAWS, 5)).toEqual([]);
});

test("a hold says which agent is to be released; one of an agent names it once", () => {
  expect(heldText(HOLD, ["one", "two"])).toBe(
    "account claude (of agents one, two) is held: Invalid API key (until somebody has mended that and says `lockstep agent release one`)",
  );
  expect(heldText({ ...HOLD, key: "agent:other", known_from: null }, ["other"])).toBe(
    "agent other is held: Invalid API key",
  );
});
