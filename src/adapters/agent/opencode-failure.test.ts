import { expect, test } from "vitest";
import { openCodeError, openCodeRetry } from "./opencode-failure.ts";

const NOW = Date.UTC(2026, 10, 29, 13, 0);

function api(statusCode: number, message: string, more: object = {}) {
  const { kind, text, until } = openCodeError({ name: "APIError", data: { message, statusCode, ...more } }, NOW);
  return [kind, text, until];
}

test("an error of the model's service is told by its status, and its time by what came with it", () => {
  expect(api(401, "Incorrect API key provided.")).toEqual(["auth", "Incorrect API key provided.", null]);
  expect(api(402, "Pay.")[0]).toBe("credit");
  expect(api(403, "No.")[0]).toBe("auth");
  expect(api(400, "Your credit balance is too low")[0]).toBe("credit");
  expect(api(404, "No such model")[0]).toBe("refused_request");
  expect(api(500, "The server had an error")[0]).toBe("overload");
  const body = { error: { type: "usage_limit_reached", resets_at: 1_795_961_389, resets_in_seconds: 3_600 } };
  const responseBody = JSON.stringify(body);
  expect(api(429, "Limit.", { responseBody })).toEqual(["limit", "Limit.", 1_795_961_389_000]);
  const inSeconds = JSON.stringify({ error: { resets_in_seconds: 3_600 } });
  expect(api(429, "Limit.", { responseBody: inSeconds })[2]).toBe(NOW + 3_600_000);
  expect(api(429, "Limit.", { responseHeaders: { "retry-after": "60" } })[2]).toBe(NOW + 60_000);
  expect(api(429, "Limit.", { responseHeaders: { "retry-after": "soon" }, responseBody: "oops" })[2]).toBeNull();
  const empty = JSON.stringify({ error: { code: "insufficient_quota" } });
  expect(api(429, "Too much.", { responseBody: empty })[0]).toBe("credit");
});

test("errors that have a name are told by it, and others by their words", () => {
  const kind = (name: string, message?: string) => openCodeError({ name, data: { message } }, NOW).kind;
  expect(kind("ProviderAuthError", "no key")).toBe("auth");
  expect(kind("ContextOverflowError", "too long")).toBe("refused_request");
  expect(kind("MessageOutputLengthError")).toBe("budget_cap");
  expect(kind("MessageAbortedError", "Aborted")).toBeNull();
  expect(kind("APIError", "Connection reset by server")).toBe("cut");
  expect(kind("UnknownError", "something odd")).toBe("gave_up");
  expect(openCodeError({}, NOW)).toEqual({ kind: "gave_up", text: "", until: null });
  const stack = "ProviderModelNotFoundError: Model not found: a/b.\n    at SessionPrompt.run (/$bunfs/root/a.js:1:1)";
  expect(openCodeError({ name: "UnknownError", data: { message: stack } }, NOW)).toEqual({
    kind: "refused_request",
    text: "ProviderModelNotFoundError: Model not found: a/b.",
    until: null,
  });
});

test("a retry is told by its words, and by when it comes", () => {
  const retry = (message: string, more: object = {}) => openCodeRetry({ type: "retry", message, ...more }, NOW);
  expect(retry("Rate limit reached for requests. Please try again in 1s.")).toMatchObject({ kind: "overload" });
  expect(retry("Provider is overloaded")).toMatchObject({ kind: "overload", is_late: false });
  expect(retry("The usage limit has been reached")).toMatchObject({ kind: "limit", until: null });
  expect(retry("You exceeded your current quota, please check your plan and billing details")).toMatchObject({
    kind: "credit",
  });
  expect(retry("Connection reset by server", { next: NOW + 30_000 })).toMatchObject({ kind: "cut", is_late: false });
  expect(retry("Too Many Requests", { next: NOW + 61_000 })).toMatchObject({
    ...{ kind: "limit", until: NOW + 61_000, is_late: true },
  });
  expect(retry("subscribe", { action: { reason: "free_tier_limit" } })).toMatchObject({ kind: "limit" });
  expect(openCodeRetry({}, NOW)).toMatchObject({ kind: "gave_up", text: "it does not say why" });
});
