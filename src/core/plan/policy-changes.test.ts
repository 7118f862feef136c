import { expect, test } from "vitest";
import { BUILT_IN_LANES } from "../lane/lane.ts";
import type { PlanPolicy } from "./definition.ts";
import { policyChanges } from "./policy-changes.ts";

const POLICY: PlanPolicy = {
  lanes: BUILT_IN_LANES,
  workspace: "in_place",
  land: { mode: "merge", target: "lockstep/p", base: null },
};

test("the same policy has no changes", () => {
  expect(policyChanges(POLICY, structuredClone(POLICY))).toEqual([]);
});

test("what differs is named, however deep it stands", () => {
  const { build, ...others } = BUILT_IN_LANES;
  const after = {
    lanes: { ...others, mine: build! },
    workspace: "worktree",
    land: { ...POLICY.land, base: "main" },
  } as const;
  expect(policyChanges(POLICY, after)).toEqual(["land.base", "lanes.build", "lanes.mine", "workspace"]);
});
