import { expect, test } from "vitest";
import { type FailureName, refusalOf, type Wire } from "./failures.ts";

const WORDS = { retry_after_s: 3, resets_at: 1_900_000_000 };
const NAMES: FailureName[] = ["too_many", "usage_limit", "auth", "credit", "server_error", "overloaded"];

test.each<[Wire, number[]]>([
  ["anthropic", [429, 429, 401, 400, 500, 529]],
  ["responses", [429, 429, 401, 429, 500, 503]],
  ["chat", [429, 429, 401, 429, 500, 503]],
  ["gemini", [429, 429, 401, 403, 500, 503]],
])("each failure has the status of its API: %s", (wire, statuses) => {
  expect(NAMES.map((name) => refusalOf(wire, name, WORDS).status)).toEqual(statuses);
});

test.each<[Wire]>([["anthropic"], ["responses"], ["chat"], ["gemini"]])(
  "too many requests say when to come again: %s",
  (wire) => {
    const { headers, more } = refusalOf(wire, "too_many", WORDS);
    expect(JSON.stringify({ headers, more })).toMatch(/"retry-after":"3"|"retryDelay":"3s"/);
  },
);

test.each<[Wire]>([["anthropic"], ["responses"], ["chat"]])("a usage limit says until when: %s", (wire) => {
  expect(JSON.stringify(refusalOf(wire, "usage_limit", WORDS))).toContain("1900000000");
});
