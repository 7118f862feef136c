/** What holds for attempts in worktrees of the repository holds for attempts in clones of it. */

import { describe } from "vitest";
import { workInClones } from "./worktree.fixture.ts";

workInClones();

const TESTS: Record<string, () => Promise<unknown>> = {
  "an agent": () => import("./worktree-agent.test.ts"),
  conflicts: () => import("./worktree-conflict.test.ts"),
  "discarded work": () => import("./worktree-discard.test.ts"),
  foresight: () => import("./worktree-foresight.test.ts"),
  landings: () => import("./worktree-land.test.ts"),
  "the pool": () => import("./worktree-pool.test.ts"),
  setup: () => import("./worktree-setup.test.ts"),
};

describe.each(Object.keys(TESTS))("in clones: %s", async (name) => {
  await TESTS[name]!();
});
