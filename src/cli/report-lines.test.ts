import { expect, test } from "vitest";
import { reportLines } from "./report-lines.ts";

test("a report is a line for each thing that was said", () => {
  const nothing = { files: [], not_done: [], verdict: null, handoff: null };
  expect(reportLines(nothing, "All\n  is done.\n")).toEqual(["reported  All is done."]);
  const all = {
    files: ["a.ts", "b.ts"],
    not_done: ["the\ntax", "its test"],
    verdict: "rejected",
    handoff: "anna",
  } as const;
  expect(reportLines({ ...all, files: [...all.files], not_done: [...all.not_done] }, "No.")).toEqual([
    "reported  No.",
    "verdict   rejected",
    "files     a.ts, b.ts",
    "not done  the tax",
    "not done  its test",
    "handoff   anna",
  ]);
});
