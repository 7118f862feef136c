import fc from "fast-check";
import { expect, test } from "vitest";
import { readScript, stepsFor } from "./script.ts";

const VERBS = "write, append, replace, delete, run, wait, say, progress, usage, done, fail";

function problemsOf(value: unknown): string[] {
  const read = readScript(typeof value === "string" ? value : JSON.stringify(value));
  return read.ok ? [] : read.problems;
}

test("every step is read", () => {
  const read = readScript(
    JSON.stringify({
      A: [
        { write: "src/a.js", text: "1\n" },
        { append: "src/a.js", text: "2\n" },
        { replace: "./src/a.js", old: "1", new: "" },
        { delete: "src" },
        { run: "npm test" },
        { wait: 50 },
        { say: "hello" },
        { progress: "half" },
        { usage: { input: 5, cost_usd: 0.5 } },
        { done: "did it" },
      ],
      "A#2": [{ done: true }],
      "*": [{ fail: "no model" }],
    }),
  );
  if (!read.ok) throw new Error(read.problems.join());
  expect(read.script.get("A")).toEqual([
    { do: "write", path: "src/a.js", text: "1\n" },
    { do: "append", path: "src/a.js", text: "2\n" },
    { do: "replace", path: "./src/a.js", old: "1", new: "" },
    { do: "delete", path: "src" },
    { do: "run", command: "npm test" },
    { do: "wait", ms: 50 },
    { do: "say", text: "hello" },
    { do: "progress", text: "half" },
    { do: "usage", usage: { input: 5, output: 0, cache_read: 0, cache_write: 0 }, cost_usd: 0.5 },
    { do: "done", summary: "did it" },
  ]);
  expect(stepsFor(read.script, "A#2", "A")).toEqual([{ do: "done", summary: null }]);
  expect(stepsFor(read.script, "A#3", "A")).toHaveLength(10);
  expect(stepsFor(read.script, "B#1", "B")).toEqual([{ do: "fail", error: "no model" }]);
  expect(stepsFor(new Map(), "B#1", "B")).toBeNull();
});

test.each<[unknown, string[]]>([
  [[], ["must be an object: lists of steps by TASK#N, TASK or *"]],
  [{ A: {} }, ["A: must be a list of steps"]],
  [{ A: ["x"] }, [`A[0]: must be an object with one of ${VERBS}`]],
  [{ A: [{}] }, [`A[0]: must have exactly one of ${VERBS}`]],
  [{ A: [{ say: "x", done: "y" }] }, [`A[0]: must have exactly one of ${VERBS}`]],
  [{ A: [{ write: "a", test: "" }] }, ['A[0]: unknown key "test": a step write has write, text']],
  [{ A: [{ write: "a" }] }, ['A[0]: needs "text", a text']],
  [{ A: [{ write: 5, text: "" }] }, ["A[0]: write must be a path"]],
  [{ A: [{ write: "/etc/x", text: "" }] }, ['A[0]: write: "/etc/x" must be relative to the workspace']],
  [{ A: [{ append: "a/../../x", text: "" }] }, ['A[0]: append: "a/../../x" must not lead out of the workspace']],
  [{ A: [{ delete: "./." }] }, ['A[0]: delete: "./." names no file']],
  [{ A: [{ replace: "a", old: "", new: "" }] }, ['A[0]: "old" must not be empty']],
  [{ A: [{ run: ["ls"] }] }, ["A[0]: run must be a text"]],
  [{ A: [{ wait: "1s" }] }, ["A[0]: wait must be a number of milliseconds from 0 to 86400000"]],
  [{ A: [{ usage: 5 }] }, ["A[0]: usage must be an object"]],
  [
    { A: [{ usage: { inputs: 5 } }] },
    ['A[0]: usage: unknown key "inputs": it has input, output, cache_read, cache_write, cost_usd'],
  ],
  [{ A: [{ usage: { input: 0.5 } }] }, ["A[0]: usage: input must be a whole number from 0"]],
  [{ A: [{ usage: { cost_usd: -1 } }] }, ["A[0]: usage: cost_usd must be a number from 0"]],
  [{ A: [{ say: 1 }], "*": [{ fail: null }] }, ["A[0]: say must be a text", "*[0]: fail must be a text"]],
])("%j is refused, with the place", (value, problems) => {
  expect(problemsOf(value)).toEqual(problems);
});

test("what is no JSON is refused with the parser's own words on where", () => {
  expect(problemsOf("{")).toEqual([expect.stringMatching(/^is no JSON: .* position 1/)]);
});

test("the list of problems has an end", () => {
  expect(problemsOf({ A: Array.from({ length: 100 }, () => ({})) })).toHaveLength(20);
});

test("any JSON is read or refused, never thrown at", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.array(fc.jsonValue())), (value) => {
      const read = readScript(JSON.stringify(value));
      if (!read.ok) expect(read.problems[0]).not.toBe("");
    }),
  );
});
