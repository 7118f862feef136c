import { describe, expect, test } from "vitest";
import { gitIn } from "./git.ts";
import { patchPresent, treeOf } from "./patch-presence.ts";
import { commitAll, git, root, writeAt } from "./worktree.fixture.ts";

/** Work of two commits on a branch of its own, beside a target that has moved. */
function work(): { base: string; commit: string } {
  const base = git("rev-parse", "main");
  git("switch", "-q", "-c", "work");
  writeAt(root, "x", "1\n");
  commitAll(root, "one");
  writeAt(root, "y", "1\n");
  const commit = commitAll(root, "two");
  git("switch", "-q", "main");
  writeAt(root, "other", "1\n");
  commitAll(root, "other");
  return { base, commit };
}

const target = "refs/heads/main";

describe("work is on a target", () => {
  test("that merged it", async () => {
    const { base, commit } = work();
    expect(await patchPresent(gitIn(root), { target, commit, base })).toBe(false);
    git("merge", "-q", "--no-edit", "work");
    expect(await patchPresent(gitIn(root), { target, commit, base })).toBe(true);
  });

  test("that has it as one patch", async () => {
    const { base, commit } = work();
    git("merge", "-q", "--squash", "work");
    commitAll(root, "squashed");
    const objects = git("count-objects");
    expect(await patchPresent(gitIn(root), { target, commit, base })).toBe(true);
    expect(git("count-objects")).toBe(objects);
  });

  test("that has each of its patches", async () => {
    const { base, commit } = work();
    git("cherry-pick", "work~1");
    expect(await patchPresent(gitIn(root), { target, commit, base })).toBe(false);
    git("cherry-pick", "work");
    expect(await patchPresent(gitIn(root), { target, commit, base })).toBe(true);
  });
});

test("what does not exist is on no target", async () => {
  const { base, commit } = work();
  const nothing = "f".repeat(40);
  expect(await patchPresent(gitIn(root), { target, commit: nothing, base })).toBe(false);
  expect(await patchPresent(gitIn(root), { target: "refs/heads/none", commit, base })).toBe(false);
  expect(await treeOf(gitIn(root), nothing)).toBeNull();
  expect(await treeOf(gitIn(root), commit)).toBe(git("rev-parse", `${commit}^{tree}`));
});
