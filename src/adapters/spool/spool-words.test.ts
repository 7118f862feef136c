import { expect, test } from "vitest";
import { parseEnd } from "./spool-words.ts";

const END = { outcome: "succeeded", error: null, summary: "done", usage: null, cost_usd: null };
const REPORT = { files: ["a.ts"], not_done: [], verdict: "rejected", handoff: null };

test("a report of the work is part of an end", () => {
  expect(parseEnd(JSON.stringify({ ...END, report: REPORT }))).toEqual({ ...END, report: REPORT });
  expect(parseEnd(JSON.stringify(END))).toEqual(END);
});

test.each([
  7,
  null,
  { ...REPORT, files: "a.ts" },
  { ...REPORT, not_done: [7] },
  { ...REPORT, verdict: "splendid" },
  { ...REPORT, handoff: 7 },
  { files: [] },
])("a report that is none is left out of an end, and the rest of it counts: %j", (report) => {
  expect(parseEnd(JSON.stringify({ ...END, report }))).toEqual(END);
});
