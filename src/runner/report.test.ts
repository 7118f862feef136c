import { expect, test } from "vitest";
import { parseReport } from "./report.ts";

const WORK = { verdict: false, handoff: false };
const REVIEW = { verdict: true, handoff: true };

const ask = (more: object): unknown => parseReport("ask", { question: "Which?", ...more }, WORK);
const done = (more: object, rights = WORK): unknown => parseReport("done", { summary: "all", ...more }, rights);
const NOTHING = { type: "done", summary: "all", files: [], not_done: [], verdict: null, handoff: null };

test("progress is words, and a report of work a summary with what else there is to say", () => {
  expect(parseReport("progress", { text: "half" }, WORK)).toEqual({ type: "progress", text: "half" });
  expect(done({})).toEqual(NOTHING);
  expect(done({ files: null, not_done: null, verdict: null, handoff: null })).toEqual(NOTHING);
  expect(done({ files: ["a.ts"], not_done: ["the tax"] })).toEqual({
    ...NOTHING,
    files: ["a.ts"],
    not_done: ["the tax"],
  });
  expect(done({ verdict: "rejected", handoff: "anna" }, REVIEW)).toEqual({
    ...NOTHING,
    verdict: "rejected",
    handoff: "anna",
  });
});

test.each([
  ["progress", {}, "text must be 1 to 4000 characters"],
  ["progress", { text: 7 }, "text must be 1 to 4000 characters"],
  ["progress", [], "a report is one JSON object"],
  ["progress", undefined, "a report is one JSON object"],
  ["done", { summary: "  " }, "summary must be 1 to 4000 characters"],
  ["done", { summary: "x".repeat(4_001) }, "summary must be 1 to 4000 characters"],
  ["done", { text: "all" }, "summary must be 1 to 4000 characters"],
  ["ask", {}, "question must be 1 to 4000 characters"],
] as const)("%s with %j is refused: %s", (type, body, problem) => {
  expect(parseReport(type, body, WORK)).toEqual({ problem });
});

test.each([
  [{ files: "a.ts" }, "files must be a list of at most 200 texts of 1 to 1000 characters"],
  [{ files: [""] }, "files must be a list of at most 200 texts of 1 to 1000 characters"],
  [{ files: Array(201).fill("a") }, "files must be a list of at most 200 texts of 1 to 1000 characters"],
  [{ not_done: [7] }, "not_done must be a list of at most 50 texts of 1 to 1000 characters"],
  [{ not_done: ["x".repeat(1_001)] }, "not_done must be a list of at most 50 texts of 1 to 1000 characters"],
  [{ verdict: "approved" }, "this phase is no review and yields no verdict: report without one"],
  [{ handoff: "anna" }, "no other agent follows this phase: report without a handoff"],
])("a report of work with %j is refused: %s", (more, problem) => {
  expect(done(more)).toEqual({ problem });
});

test.each([
  [{}, "this phase is a review: verdict must be one of approved, rejected, rewrite, product, and summary says why"],
  [
    { verdict: "fine" },
    "this phase is a review: verdict must be one of approved, rejected, rewrite, product, and summary says why",
  ],
  [{ verdict: "approved", handoff: 7 }, "handoff must be an agent's name of 1 to 1000 characters"],
])("a review with %j is refused: %s", (more, problem) => {
  expect(done(more, REVIEW)).toEqual({ problem });
});

test("a question has its options, a default that is one of them, and may let the agent go on", () => {
  expect(ask({})).toEqual({ type: "ask", question: "Which?", options: [], default: null, can_continue: false });
  expect(ask({ options: ["a", "b"], default: "b", can_continue: true })).toEqual({
    type: "ask",
    question: "Which?",
    options: ["a", "b"],
    default: "b",
    can_continue: true,
  });
});

test.each([
  [{ options: ["a", "a"] }, "options must be at most 20 different texts"],
  [{ options: ["a", 7] }, "options must be at most 20 different texts"],
  [{ options: "a" }, "options must be at most 20 different texts"],
  [{ options: Array.from({ length: 21 }, (_, n) => `o${n}`) }, "options must be at most 20 different texts"],
  [{ options: ["a"], default: "c" }, "default must be one of the options"],
  [{ default: "c" }, "default must be one of the options"],
])("a question with %j is refused", (more, problem) => {
  expect(ask(more)).toEqual({ problem });
});
