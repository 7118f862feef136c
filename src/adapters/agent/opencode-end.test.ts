import { expect, test } from "vitest";
import type { CheckEnd } from "../../ports/processes.ts";
import { type OpenCodeSaid, openCodeEnd } from "./opencode-end.ts";

const EXIT: CheckEnd = { outcome: "killed", exit_code: 143, tail: "", ms: 1, forced: false };
const SAID: OpenCodeSaid = { end: null, is_own: true, summary: "Half.", usage: null, cost_usd: null, stray: "" };

const end = (said: Partial<OpenCodeSaid>, exit: Partial<CheckEnd> = {}) => {
  const { outcome, failure, error } = openCodeEnd({ ...SAID, ...said }, { ...EXIT, ...exit });
  return [outcome, failure, error];
};
const finished = (finish: string | null) => end({ end: { kind: "idle", finish, failure: null } });

test("only an answer that ended with stop is a success", () => {
  expect(finished("stop")).toEqual(["succeeded", undefined, null]);
  expect(finished("tool-calls")).toEqual(["failed", "gave_up", "it stopped after it had used a tool: Half."]);
  expect(finished("length")).toEqual(["failed", "budget_cap", "it used up its tokens: Half."]);
  expect(finished("unknown")).toEqual(["failed", "cut", "the answer of its model broke off (unknown): Half."]);
  expect(finished(null)).toEqual(["failed", "protocol", "its turn ended without an answer of its model: Half."]);
});

test("a stop from outside is the stop's, whatever was said of it", () => {
  const failure = { kind: null, text: "Aborted", until: null };
  expect(end({ is_own: false, end: { kind: "idle", finish: null, failure } })).toEqual([
    "interrupted",
    undefined,
    null,
  ]);
  expect(end({ end: { kind: "idle", finish: null, failure } })).toEqual([
    ...["failed", "gave_up", "its turn was broken off, and not by lockstep"],
  ]);
});

test("a program that could not be started, and one that floods, say so", () => {
  expect(end({}, { outcome: "error", tail: "no such file\n" })).toEqual([
    ...["failed", "crashed", "it could not be started: no such file"],
  ]);
  expect(end({}, { outcome: "red", flooded_at: 10 })).toEqual(["failed", "protocol", "more than 10 bytes of output"]);
});
