import fc from "fast-check";
import { expect, test } from "vitest";
import { acpTrouble, wantsLogin } from "./acp-error.ts";

const NOW = Date.UTC(2026, 10, 29, 12);
const INTERNAL = -32_603;

test.each([
  ["its kind", INTERNAL, "Internal error", { errorKind: "rate_limit" }],
  ["another agent's word for it", INTERNAL, "Internal error", { codexErrorInfo: "usageLimitExceeded" }],
  ["a status as its code", 429, "You have used what you may use today.", undefined],
  ["a status in its data", INTERNAL, "Internal error", { statusCode: 429 }],
  ["its words", INTERNAL, "Internal error: your daily quota is exhausted", null],
  ["its words, for all that its code says", -32_000, "Too many requests", null],
  // Gemini says so of what may be used in a minute.
  ["a status before what else is said", 429, "Quota exceeded: check your plan and billing details", null],
])("a limit is known by %s", (_, code, message, data) => {
  expect(acpTrouble({ code, message, data }, NOW)).toEqual({ kind: "limit", until: null });
});

test.each([
  ["its kind", INTERNAL, "Internal error", { codexErrorInfo: "serverOverloaded" }],
  ["a status in its data", INTERNAL, "Internal error", { statusCode: 529 }],
  ["its words", INTERNAL, "Internal error: overloaded", null],
])("a service with too much to do is known by %s", (_, code, message, data) => {
  expect(acpTrouble({ code, message, data }, NOW)).toEqual({ kind: "overload", until: null });
});

test.each([
  ["credit", 400, "Your credit balance is too low to access the API."],
  ["credit", 429, "insufficient_quota"],
  ["cut", 500, "terminated"],
  ["cut", INTERNAL, "Internal error: Connection to the API was lost (ECONNRESET)."],
  ["turn_cap", INTERNAL, "Internal error: Reached maximum number of turns (2)"],
])("%s is known by its words, whatever its code", (kind, code, message) => {
  expect(acpTrouble({ code, message, data: null }, NOW)).toEqual({ kind });
});

test.each([
  ["its code", 401, "no", undefined],
  ["the protocol's code", -32_000, "no", undefined],
  ["its kind", INTERNAL, "Internal error", { errorKind: "authentication_failed" }],
  ["its words", INTERNAL, "Internal error: Incorrect API key provided.", { service: "session" }],
])("a login that is not accepted is known by %s", (_, code, message, data) => {
  expect(acpTrouble({ code, message, data }, NOW)).toEqual({ kind: "auth" });
});

test("anything else is a failure", () => {
  const message = "Internal error: no such file";
  expect(acpTrouble({ code: INTERNAL, message, data: null }, NOW)).toEqual({ kind: "other" });
});

test.each([
  [{ resetsAt: NOW / 1_000 + 60 }, "limited", NOW + 60_000],
  [{ limits: [{ reset_at: NOW + 90_000 }] }, "limited", NOW + 90_000],
  [{ error: { resets_at: "2026-11-29T13:00:00Z" } }, "limited", NOW + 3_600_000],
  [{ retryAfter: 1.5 }, "limited", NOW + 1_500],
  [{ resetsAt: 17 }, "limited", null],
  [{ resetsAt: "soon", retryAfter: -1 }, "limited", null],
  [{ retryAfter: 1e12 }, "limited", null],
  // Its words are read by the runner, as those of every agent.
  [null, "Please retry in 20.5s.", null],
])("%j with %j: when it is over", (data, message, until) => {
  const error = { code: 429, message, data };
  expect(acpTrouble(error, NOW)).toEqual({ kind: "limit", until });
});

test("only the protocol's own word asks for a login before a conversation", () => {
  expect(wantsLogin({ code: -32_000, message: "x", data: null })).toBe(true);
  expect(wantsLogin({ code: INTERNAL, message: "Authentication required", data: null })).toBe(true);
  expect(wantsLogin({ code: INTERNAL, message: "no such directory", data: null })).toBe(false);
});

test("no data, however deep, makes it throw", () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (data, message) => {
      acpTrouble({ code: 429, message, data }, NOW);
    }),
  );
});
