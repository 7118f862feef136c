import { expect, test } from "vitest";
import { BUILT_IN_LANES } from "../lane/lane.ts";
import { reportRights } from "./agent-report.ts";

test("only a review gives a verdict, and only where a phase can follow is another agent named", () => {
  const of = (lane: string) => {
    const { phases } = BUILT_IN_LANES[lane]!;
    return phases.map((_, index) => reportRights(BUILT_IN_LANES[lane]!, index));
  };
  expect(of("build")).toEqual([{ verdict: false, handoff: false }]);
  expect(of("reviewed")).toEqual([
    { verdict: false, handoff: true },
    { verdict: true, handoff: true },
  ]);
  expect(of("full").map(({ handoff }) => handoff)).toEqual([true, true, true, true]);
});
