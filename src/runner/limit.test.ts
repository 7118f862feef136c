import { expect, test } from "vitest";
import type { AgentLimit } from "../ports/agent.ts";
import type { RunnerEnd } from "../ports/runner.ts";
import { withLimit, zoneOf } from "./limit.ts";

const NOW = Date.UTC(2026, 2, 20, 12);
const LIMITED: RunnerEnd = { outcome: "rate_limited", error: null, summary: null, usage: null, cost_usd: null };
const limitOf = (over: Partial<RunnerEnd>): AgentLimit | null | undefined =>
  withLimit({ ...LIMITED, ...over }, NOW, "Asia/Tokyo").limit;

test("field report 39: what the service says of its limit comes before its words", () => {
  const signal = { holds: "model", until: NOW + 5, known_from: "signal" } as const;
  expect(limitOf({ limit: signal, error: "resets 3pm (UTC)" })).toEqual(signal);
});

test("field report 41: its words are read with their zone, else with that of the agent, and are a guess", () => {
  const read = { holds: "account", known_from: "text" };
  expect(limitOf({ error: "resets 3pm (UTC)" })).toEqual({ ...read, until: Date.UTC(2026, 2, 20, 15, 1) });
  expect(limitOf({ error: "resets 3pm" })).toEqual({ ...read, until: Date.UTC(2026, 2, 21, 6, 1) });
  const unknown = { holds: "model", until: null, known_from: "backoff" } as const;
  expect(limitOf({ error: "retry in 45 seconds", limit: unknown })).toEqual({
    ...read,
    holds: "model",
    until: NOW + 46_000,
  });
});

test("words that tell no time leave it unknown", () => {
  const unknown = { holds: "account", until: null, known_from: "backoff" };
  expect(limitOf({ error: "Overloaded" })).toEqual(unknown);
  expect(limitOf({})).toEqual(unknown);
});

test("an end of another kind is left as it is", () => {
  const failed = { ...LIMITED, outcome: "failed", error: "resets 3pm" } as const;
  expect(withLimit(failed, NOW, "UTC")).toBe(failed);
});

test("the zone is that of the agent's environment, else that of this machine", () => {
  expect(zoneOf({ TZ: "Asia/Kathmandu" })).toBe("Asia/Kathmandu");
  expect(zoneOf({ TZ: "" })).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
});
