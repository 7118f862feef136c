import { expect, test } from "vitest";
import { parseReport } from "./report.ts";

const ask = (more: object): unknown => parseReport("/ask", JSON.stringify({ question: "Which?", ...more }));

test("progress and done are words", () => {
  expect(parseReport("/progress", '{"text":"half"}')).toEqual({ type: "progress", text: "half" });
  expect(parseReport("/done", '{"text":"all"}')).toEqual({ type: "done", text: "all" });
});

test.each([
  ["/progress", "{}", "text must be 1 to 4000 characters"],
  ["/done", '{"text":"  "}', "text must be 1 to 4000 characters"],
  ["/done", JSON.stringify({ text: "x".repeat(4_001) }), "text must be 1 to 4000 characters"],
  ["/progress", '{"text":7}', "text must be 1 to 4000 characters"],
  ["/progress", "[]", "a report is one JSON object"],
  ["/progress", "half", "a report is one JSON object"],
  ["/plan", "{}", "there is no report /plan"],
  ["/ask", "{}", "question must be 1 to 4000 characters"],
])("%s with %s is refused: %s", (path, text, problem) => {
  expect(parseReport(path, text)).toEqual({ problem });
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
