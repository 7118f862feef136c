/** What is in a landing's way and nobody's fault: it is told, the work is kept, and lands once that is gone. */

import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { taskDone } from "../../../src/engine/external.ts";
import { claimIn, gitIn, type Lab, makeLab, taskRow, writeFiles } from "../../fixtures/lab.ts";
import { changeStore } from "../../fixtures/lab-store.ts";

const CONFIG = { workspace: { mode: "worktree" } };
const BRANCH = "lockstep/lab";
const TASKS = [
  { id: "A", verify: "test -e A.txt" },
  { id: "B", verify: "test -e B.txt" },
];

/** Works on a task; `hinder` is called before it is handed over. */
async function handOver(lab: Lab, task: string, hinder: () => void = () => {}): Promise<void> {
  const claimed = await claimIn(lab, task);
  writeFiles(claimed.workspace.dir, { [`${task}.txt`]: task });
  hinder();
  await taskDone(lab.context, { plan: lab.plan, task, token: claimed.lease.token, summary: null });
}

/** As the next engine or `task done` finds it once its time has come. */
async function again(lab: Lab): Promise<void> {
  await changeStore(lab, "UPDATE tasks SET due_at = 1 WHERE id = 'A'");
  await handOver(lab, "B");
}

const PUT_OFF = { state: "claimed_done", tries: 0, environment: 1 };

describe("a landing waits, its work kept, and lands later", () => {
  test("where a person has the target checked out elsewhere", async () => {
    const lab = await makeLab({ kind: "repository", config: CONFIG, tasks: TASKS });
    const elsewhere = join(lab.aside, "elsewhere");
    await handOver(lab, "A", () => gitIn(lab.root, "worktree", "add", "-q", elsewhere, BRANCH));
    expect(await taskRow(lab, "A")).toMatchObject({
      ...PUT_OFF,
      last_error: `${BRANCH} is checked out in ${elsewhere}, and landing would move it: switch to another branch there`,
    });
    expect(gitIn(lab.root, "show", "lockstep-work/lab/A:A.txt")).toBe("A");
    gitIn(lab.root, "worktree", "remove", elsewhere);
    await again(lab);
    expect(await taskRow(lab, "A")).toMatchObject({ state: "verified", environment: 1 });
    expect(gitIn(lab.root, "ls-tree", "--name-only", BRANCH)).toContain("A.txt");
  });

  test("where somebody holds the target's lock", async () => {
    const lab = await makeLab({ kind: "repository", config: CONFIG, tasks: TASKS });
    const lock = join(lab.root, ".git/refs/heads", `${BRANCH}.lock`);
    await handOver(lab, "A", () => hold(lock));
    expect(await taskRow(lab, "A")).toMatchObject({ ...PUT_OFF, last_error: expect.stringContaining(".lock") });
    expect(gitIn(lab.root, "show", "lockstep-work/lab/A:A.txt")).toBe("A");
    rmSync(lock);
    await again(lab);
    expect(await taskRow(lab, "A")).toMatchObject({ state: "verified" });
  });
});

/** A lock that stays young: its holder is at work. */
function hold(lock: string): void {
  writeFileSync(lock, "");
  const later = Date.now() / 1_000 + 600;
  utimesSync(lock, later, later);
}

describe("a landing goes on", () => {
  test("over locks that killed gits left: of the index where it is checked, and of the target", async () => {
    const lab = await makeLab({ kind: "repository", config: CONFIG, tasks: TASKS });
    await handOver(lab, "B");
    const [place] = gitIn(lab.root, "worktree", "list", "--porcelain").match(/(?<=worktree ).*landing-.*/) ?? [];
    const old = Date.now() / 1_000 - 60;
    await handOver(lab, "A", () => {
      for (const lock of [
        gitIn(place!, "rev-parse", "--path-format=absolute", "--git-path", "index.lock"),
        join(lab.root, ".git/refs/heads", `${BRANCH}.lock`),
      ]) {
        writeFileSync(lock, "");
        utimesSync(lock, old, old);
      }
    });
    expect(await taskRow(lab, "A")).toMatchObject({ state: "verified" });
  });

  test("over untracked files that stand where it is checked", async () => {
    const lab = await makeLab({ kind: "repository", config: CONFIG, tasks: TASKS });
    await handOver(lab, "B");
    const [place] = gitIn(lab.root, "worktree", "list", "--porcelain").match(/(?<=worktree ).*landing-.*/) ?? [];
    await handOver(lab, "A", () => writeFiles(place!, { "A.txt/in-the-way": "x" }));
    expect(await taskRow(lab, "A")).toMatchObject({ state: "verified" });
    expect(gitIn(lab.root, "show", `${BRANCH}:A.txt`)).toBe("A");
  });
});
