import { expect, test } from "vitest";
import { result } from "../../../test/fixtures/claude-lines.ts";
import type { FailureKind } from "../../core/attempt/failure.ts";
import type { CheckEnd } from "../../ports/processes.ts";
import { type ClaudeSaid, claudeEnd } from "./claude-end.ts";
import { readClaudeLine } from "./claude-stream.ts";

const resultOf = (over: object) => readClaudeLine(JSON.stringify(result(over as Record<string, unknown>))).result!;
const exit = (outcome: CheckEnd["outcome"], exit_code = 0): CheckEnd => ({
  outcome,
  exit_code,
  tail: "the tail",
  ms: 5,
  forced: exit_code === 137,
});
const USED = { usage: { input: 120, output: 450, cache_read: 7_000, cache_write: 30 }, cost_usd: 0.0421 };
const FREE = { usage: null, cost_usd: null };
const SILENT: ClaudeSaid = {
  result: null,
  is_own: false,
  limit: null,
  isCut: false,
  stray: "",
  used: { ...USED, partial: false },
};
const FAILED = { subtype: "success", is_error: true, terminal_reason: "api_error" };
const RESET = Date.parse("2027-03-01T12:00:00Z");
const KNOWN = { holds: "account", until: RESET, known_from: "signal" };
const UNKNOWN = { holds: "account", until: null, known_from: "backoff" };

const LOGIN = "the model's service does not accept its login: log it in, or give it a key";

test.each([exit("green"), exit("red", 1), exit("killed", 143), exit("killed", 137)])(
  "a result that is a success is one, however the process ended: %j",
  (end) => {
    expect(claudeEnd({ ...SILENT, result: resultOf({}) }, end)).toEqual({
      outcome: "succeeded",
      error: null,
      summary: "Cart totals are right.",
      ...USED,
      // It had not told all, or would not end.
      ...(end.outcome === "killed" ? { partial: true } : {}),
    });
  },
);

test.each<[string, FailureKind, object, string]>([
  [
    "turns",
    "turn_cap",
    { subtype: "error_max_turns", is_error: true, result: undefined, errors: ["(2)"] },
    "it used up its turns: (2)",
  ],
  ["budget", "budget_cap", { subtype: "error_max_budget_usd", is_error: true, result: "" }, "it used up its budget"],
  ["execution", "gave_up", { subtype: "error_during_execution", is_error: true, result: "oops" }, "it broke off: oops"],
  [
    "an error in the form of a success",
    "gave_up",
    { ...FAILED, result: "API Error: 418", api_error_status: 418 },
    "it gave up: API Error: 418",
  ],
  [
    "a kind that is not known",
    "gave_up",
    { subtype: "error_new", is_error: true, result: "?" },
    "it ended with an error (error_new): ?",
  ],
  ["no word on whether it is an error", "gave_up", { is_error: undefined, result: "well" }, "it gave up: well"],
  [
    "nothing to pay with",
    "credit",
    { ...FAILED, result: "Credit balance is too low", api_error_status: 400 },
    "Credit balance is too low",
  ],
  [
    "no answer",
    "hung",
    { ...FAILED, result: "Request timed out. If the API is slow" },
    "Request timed out. If the API is slow",
  ],
  [
    "a connection that is lost",
    "cut",
    { ...FAILED, result: "Connection lost", api_error: "connection_failed" },
    "the answer of its model broke off each time that it asked: Connection lost",
  ],
  ["its login", "auth", { ...FAILED, result: "Invalid API key", api_error_status: 401 }, `${LOGIN}: Invalid API key`],
])("an error is none of the exit code's business: %s", (_, failure, over, error) => {
  const end = claudeEnd({ ...SILENT, result: resultOf(over) }, exit("green"));
  expect(end).toEqual({ outcome: "failed", failure, error, summary: null, ...USED });
});

test("what was used stands in the end as it was counted, and may be less than all", () => {
  const used = { ...USED, partial: true };
  expect(claudeEnd({ ...SILENT, used, result: resultOf({}) }, exit("green"))).toMatchObject(used);
});

test("half an answer that it takes for a whole one is none", () => {
  const half = { ...SILENT, isCut: true, result: resultOf({}) };
  const error = "the answer of its model broke off each time that it asked";
  expect(claudeEnd(half, exit("green"))).toEqual({ outcome: "failed", failure: "cut", error, summary: null, ...USED });
  const turns = resultOf({ subtype: "error_max_turns", is_error: true });
  expect(claudeEnd({ ...half, result: turns }, exit("green"))).toMatchObject({ failure: "turn_cap" });
});

test("a limit is nobody's fault, and its end is told where it is known", () => {
  const turnedAway = { ...FAILED, api_error_status: 429, result: "You've hit your limit" };
  const error = "You've hit your limit";
  const limited = { outcome: "rate_limited", failure: "limit", error, summary: null, ...USED };
  expect(claudeEnd({ ...SILENT, result: resultOf(turnedAway) }, exit("red", 1))).toEqual({
    ...limited,
    limit: UNKNOWN,
  });
  const limit = { resets_at: RESET, kind: "five_hour" };
  expect(claudeEnd({ ...SILENT, limit, result: resultOf(turnedAway) }, exit("red", 1))).toEqual({
    ...limited,
    limit: KNOWN,
  });
  const older = { ...turnedAway, api_error_status: undefined };
  expect(claudeEnd({ ...SILENT, limit, result: resultOf(older) }, exit("red", 1))).toMatchObject({
    outcome: "rate_limited",
    limit: KNOWN,
  });
  const overloaded = { ...turnedAway, api_error_status: 529, result: "Overloaded" };
  expect(claudeEnd({ ...SILENT, result: resultOf(overloaded) }, exit("red", 1))).toMatchObject({
    outcome: "rate_limited",
    failure: "overload",
    error: "Overloaded",
    limit: { ...UNKNOWN, holds: "provider" },
  });
  const ofOpus = { resets_at: RESET, kind: "seven_day_opus" };
  expect(claudeEnd({ ...SILENT, limit: ofOpus, result: resultOf(turnedAway) }, exit("red", 1))).toMatchObject({
    limit: { ...KNOWN, holds: "model" },
  });
  expect(claudeEnd({ ...SILENT, limit }, exit("red", 1))).toEqual({
    outcome: "rate_limited",
    failure: "limit",
    error: "a usage limit is reached",
    summary: null,
    ...FREE,
    limit: KNOWN,
  });
});

test("a limit that was passed by paying for more excuses no other error", () => {
  const limit = { resets_at: RESET, kind: "five_hour" };
  const turns = resultOf({ subtype: "error_max_turns", is_error: true });
  expect(claudeEnd({ ...SILENT, limit, result: turns }, exit("red", 1)).outcome).toBe("failed");
  expect(claudeEnd({ ...SILENT, limit, result: resultOf({}) }, exit("green")).outcome).toBe("succeeded");
});

test("an error that came of being stopped is the stop's", () => {
  const aborted = resultOf({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" });
  expect(claudeEnd({ ...SILENT, result: aborted }, exit("killed", 143))).toEqual({
    outcome: "interrupted",
    partial: true,
    error: null,
    summary: null,
    killed: false,
    ...USED,
  });
  expect(claudeEnd({ ...SILENT, result: aborted }, exit("killed", 137))).toMatchObject({ killed: true });
});

test("field report 11: an error that it gave before anybody told it to end stands, though it had to be ended", () => {
  const gaveUp = resultOf({ is_error: true, result: "API Error" });
  const end = claudeEnd({ ...SILENT, result: gaveUp, is_own: true }, exit("killed", 143));
  expect(end).toEqual({
    outcome: "failed",
    failure: "gave_up",
    partial: true,
    error: "it gave up: API Error",
    summary: null,
    ...USED,
  });
});

test("field report 31: a flood is a failure that says so", () => {
  const end = claudeEnd(SILENT, { ...exit("red", 137), flooded_at: 4_096 });
  const error = "more than 4096 bytes of output";
  expect(end).toEqual({ outcome: "failed", failure: "protocol", error, summary: null, ...FREE });
});

test.each<[CheckEnd, string, string]>([
  [exit("green"), "failed", "it ended well, but without a result: last words"],
  [exit("red", 3), "failed", "it ended with 3, but without a result: last words"],
  [exit("red", 137), "failed", "it ended with 137, but without a result: last words"],
  [exit("killed", 143), "interrupted", "last words"],
  [exit("error", 127), "failed", "it could not be started: the tail"],
])("without a result nothing has succeeded: %j", (end, outcome, error) => {
  expect(claudeEnd({ ...SILENT, stray: "last words" }, end)).toMatchObject({ outcome, error, summary: null, ...FREE });
});

test("one that was ended because of its login says so", () => {
  expect(claudeEnd({ ...SILENT, givenUp: { kind: "auth", until: null } }, exit("killed", 143))).toEqual({
    outcome: "failed",
    failure: "auth",
    error: LOGIN,
    summary: null,
    ...FREE,
  });
});
