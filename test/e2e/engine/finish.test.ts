/** `finish`: a plan's branch is landed on the branch that it started from, or nothing is moved at all. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { finishPlan } from "../../../src/engine/finish.ts";
import { gitIn, type Lab, makeLab, readText, runLab, taskRow, writeFiles } from "../../fixtures/lab.ts";

const TASKS = [
  { id: "A", verify: "test -e A.txt && ! test -e poison" },
  { id: "B", depends_on: ["A"], verify: "test -e B.txt" },
];
const CONFIG = { workspace: { mode: "worktree" } };
const never = new AbortController().signal;

async function finishedLab(): Promise<Lab> {
  const lab = await makeLab({
    kind: "repository",
    config: CONFIG,
    agent: "echo {task_id} > {task_id}.txt",
    tasks: TASKS,
  });
  expect(await runLab(lab)).toMatchObject({ outcome: "done" });
  return lab;
}

const finish = (lab: Lab, into: string | null = null) => finishPlan(lab.context, lab.plan, into, never);

/** A branch of the project moved on by a commit of one file, while nobody has it checked out. */
function commitOn(lab: Lab, branch: string, file: string, text: string): string {
  const place = join(lab.aside, `at-${branch}`);
  gitIn(lab.root, "worktree", "add", "-q", "--detach", place, branch);
  writeFiles(place, { [file]: text });
  gitIn(place, "add", "-A");
  gitIn(place, "commit", "-q", "-m", `change ${file}`);
  const commit = gitIn(place, "rev-parse", "HEAD");
  gitIn(lab.root, "worktree", "remove", "--force", place);
  gitIn(lab.root, "update-ref", `refs/heads/${branch}`, commit);
  return commit;
}

const branchAt = (lab: Lab, branch: string): string => gitIn(lab.root, "rev-parse", branch);

describe("finish", () => {
  test("moves the base to the plan's branch where that is all there is, without a check", async () => {
    const lab = await finishedLab();
    gitIn(lab.root, "switch", "-q", "-c", "mine");
    const [from, commit] = [branchAt(lab, "main"), branchAt(lab, "lockstep/lab")];
    expect(await finish(lab)).toEqual({ into: "refs/heads/main", from, commit, checks: 0 });
    expect(branchAt(lab, "main")).toBe(commit);
    expect(branchAt(lab, "mine")).toBe(from);
    expect(existsSync(join(lab.root, "A.txt"))).toBe(false);
    expect(await finish(lab)).toEqual({ into: "refs/heads/main", from: commit, commit, checks: 0 });
  });

  test("a branch that is checked out moves only when it is named and clean, and its files move with it", async () => {
    const lab = await finishedLab();
    const from = branchAt(lab, "main");
    expect(await finish(lab)).toEqual({
      refusal: {
        code: "target_checked_out",
        text: "main is checked out here: name it to have it moved, files and all",
      },
    });
    writeFiles(lab.root, { "mine.txt": "half done\n" });
    expect(await finish(lab, "main")).toMatchObject({
      refusal: { code: "not_clean", text: expect.stringContaining("main is checked out, with changes: mine.txt") },
    });
    expect(branchAt(lab, "main")).toBe(from);
    gitIn(lab.root, "clean", "-q", "-f", "mine.txt");
    expect(await finish(lab, "main")).toMatchObject({ commit: branchAt(lab, "lockstep/lab") });
    expect(readText(lab.root, "B.txt")).toBe("B\n");
    expect(gitIn(lab.root, "status", "--porcelain")).toBe("");
    expect(branchAt(lab, "main")).toBe(branchAt(lab, "lockstep/lab"));
  });

  test("merges with a branch that has moved on, once every check is green on both together", async () => {
    const lab = await finishedLab();
    gitIn(lab.root, "branch", "next", "main");
    const tip = commitOn(lab, "next", "other.txt", "theirs\n");
    const end = await finish(lab, "next");
    expect(end).toMatchObject({ into: "refs/heads/next", from: tip, checks: 2 });
    expect(gitIn(lab.root, "rev-parse", "next^1", "next^2").split("\n")).toEqual([tip, branchAt(lab, "lockstep/lab")]);
    expect(gitIn(lab.root, "ls-tree", "--name-only", "next").split("\n")).toEqual(
      expect.arrayContaining(["A.txt", "B.txt", "other.txt"]),
    );
  });

  test("moves nothing when a check is red on both together", async () => {
    const lab = await finishedLab();
    gitIn(lab.root, "branch", "next", "main");
    const tip = commitOn(lab, "next", "poison", "x\n");
    expect(await finish(lab, "next")).toMatchObject({
      refusal: { code: "checks_red", text: expect.stringContaining("of A is not green on both together: exit 1") },
    });
    expect(branchAt(lab, "next")).toBe(tip);
  });

  test("moves nothing where both changed the same places", async () => {
    const lab = await finishedLab();
    gitIn(lab.root, "branch", "next", "main");
    const tip = commitOn(lab, "next", "A.txt", "another\n");
    expect(await finish(lab, "next")).toMatchObject({ refusal: { code: "conflict", files: ["A.txt"] } });
    expect(branchAt(lab, "next")).toBe(tip);
  });

  test("is refused while a task is not verified, and where there is no branch of the plan's own", async () => {
    const lab = await makeLab({ kind: "repository", config: CONFIG, tasks: TASKS });
    expect(await finish(lab)).toEqual({
      refusal: { code: "unfinished", text: "not every task of lab is verified: A, B" },
    });
    const skip = { type: "task.skip", plan: lab.plan.id, without_work: false, why: "x" } as const;
    await lab.context.store.submit({ ...skip, task: "A", satisfies: false }, { actor: "test" });
    expect(await finish(lab)).toMatchObject({ refusal: { text: "not every task of lab is verified: A, B" } });
    expect((await taskRow(lab, "A")).state).toBe("skipped");
    const inPlace = await makeLab({ kind: "repository", tasks: TASKS });
    expect(await finish(inPlace)).toEqual({
      refusal: { code: "no_branch", text: "lab has no branch of its own to land: its work is where it was done" },
    });
    expect(await finish(lab, "nowhere")).toMatchObject({ refusal: { code: "unfinished" } });
  });

  test("a branch that does not exist is named", async () => {
    const lab = await finishedLab();
    expect(await finish(lab, "nowhere")).toMatchObject({
      refusal: { code: "missing_base", text: expect.stringContaining("there is no branch nowhere") },
    });
  });
});
