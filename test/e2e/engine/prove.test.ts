/** `prove`: what was verified is proved, and whatever of it is altered or deleted is found. */

import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/adapters/store/sqlite/open.ts";
import type { TaskProof } from "../../../src/engine/prove.ts";
import { provePlan } from "../../../src/engine/prove.ts";
import { checksOf, gitIn, type Lab, type LabWish, makeLab, runLab, taskRow } from "../../fixtures/lab.ts";

const TASKS = [
  { id: "A", verify: "echo looked; test -e A.txt", guards: ["test -e lockstep.yaml"] },
  { id: "B", depends_on: ["A"], verify: "test -e B.txt" },
];
const TARGET = "refs/heads/lockstep/lab";
const REF = "refs/lockstep/attempts/lab/A/1";

async function verifiedLab(over: Partial<LabWish> = {}): Promise<Lab> {
  const config = { workspace: { mode: "worktree" } };
  const lab = await makeLab({ kind: "repository", config, agent: "touch {task_id}.txt", tasks: TASKS, ...over });
  expect(await runLab(lab)).toMatchObject({ outcome: "done" });
  return lab;
}

const prove = (lab: Lab) => provePlan(lab.context, lab.plan);

/** What is found wrong with A, once something of it was changed; B stays proved. */
async function wrongWithA(lab: Lab): Promise<string[]> {
  const { ok, tasks, problems } = await prove(lab);
  expect(ok).toBe(false);
  expect(tasks.find(({ id }) => id === "B")).toMatchObject({ ok: true, problems: [] });
  const a = tasks.find(({ id }) => id === "A");
  expect(a?.ok ?? false).toBe(false);
  return [...(a?.problems ?? []), ...problems];
}

async function sql(lab: Lab, ...statements: string[]): Promise<void> {
  const database = await openDatabase(lab.project.storeFile);
  for (const statement of ["PRAGMA foreign_keys = OFF", ...statements]) database.sql(statement).run();
  database.close();
}

async function logOfA(lab: Lab): Promise<string> {
  const check = (await checksOf(lab, "A")).find(({ kind }) => kind === "verify")!;
  return join(lab.project.stateDir, "blobs", check.log);
}

describe("prove", () => {
  test("says of every verified task where it landed, on which tree, and which checks were green on it", async () => {
    const lab = await verifiedLab();
    expect(lab.plan.policy.land.target).toBe(TARGET);
    const { landed_sha } = await taskRow(lab, "A");
    const a: TaskProof = {
      id: "A",
      ok: true,
      landed: landed_sha,
      tree: gitIn(lab.root, "rev-parse", `${landed_sha}^{tree}`),
      unverified: false,
      checks: [
        { command: "echo looked; test -e A.txt", exit_code: 0 },
        { command: "test -e lockstep.yaml", exit_code: 0 },
      ],
      problems: [],
    };
    expect(await prove(lab)).toMatchObject({ ok: true, tasks: [a, { id: "B", ok: true }], problems: [] });
    expect(await provePlan(lab.context, lab.plan, { task: await taskRow(lab, "A") })).toEqual({
      ok: true,
      tasks: [a],
      problems: [],
      notes: [],
    });
    expect(gitIn(lab.root, "rev-parse", REF)).toBe(landed_sha);
  });

  test("finds a row that is gone", async () => {
    const lab = await verifiedLab();
    await sql(lab, "DELETE FROM tasks WHERE id = 'A'");
    expect(await wrongWithA(lab)).toEqual([
      "it landed, but its row is gone",
      "2 tasks were verified, but 1 rows say so",
    ]);
  });

  test("finds a row whose state was changed", async () => {
    const lab = await verifiedLab();
    await sql(lab, "UPDATE tasks SET state = 'pending' WHERE id = 'A'");
    expect(await wrongWithA(lab)).toEqual([
      "it landed, but its row says pending",
      "2 tasks were verified, but 1 rows say so",
    ]);
  });

  test.each([
    [
      "landed_sha = (SELECT landed_sha FROM tasks WHERE id = 'B')",
      /^the ref of its attempt 1 is [0-9a-f]{40}, not what landed$/,
    ],
    ["landed_sha = NULL", /^its row names no commit that landed$/],
    ["landed_tree = 'f00'", /^the landed tree is [0-9a-f]{40}, not f00$/],
    ["attempts = 2", /^the ref of its attempt 2 is gone$/],
    ["landed_target = 'refs/heads/main'", /^it landed on refs\/heads\/main, not on refs\/heads\/lockstep\/lab$/],
  ])("finds a row that was changed: %s", async (change, problem) => {
    const lab = await verifiedLab();
    await sql(lab, `UPDATE tasks SET ${change} WHERE id = 'A'`);
    expect((await wrongWithA(lab))[0]).toMatch(problem);
  });

  test("finds an attempt's ref that is gone, and one that was moved", async () => {
    const lab = await verifiedLab();
    const other = gitIn(lab.root, "rev-parse", "main");
    gitIn(lab.root, "update-ref", REF, other);
    expect(await wrongWithA(lab)).toEqual([`the ref of its attempt 1 is ${other}, not what landed`]);
    gitIn(lab.root, "update-ref", "-d", REF);
    expect(await wrongWithA(lab)).toEqual(["the ref of its attempt 1 is gone"]);
  });

  test("finds a landed commit that the target lost", async () => {
    const lab = await verifiedLab();
    const { landed_sha } = await taskRow(lab, "A");
    gitIn(lab.root, "update-ref", TARGET, gitIn(lab.root, "rev-parse", "main"));
    const { ok, tasks } = await prove(lab);
    expect(ok).toBe(false);
    expect(tasks[0]!.problems).toEqual([`${TARGET} does not have its commit ${landed_sha}`]);
  });

  test("finds a landed commit that was written anew with another tree", async () => {
    const lab = await verifiedLab();
    const { landed_sha } = await taskRow(lab, "A");
    const changed = gitIn(lab.root, "commit-tree", "main^{tree}", "-p", "main", "-m", `A\n\nLockstep-Task: A`);
    gitIn(lab.root, "update-ref", TARGET, changed);
    const { tasks } = await prove(lab);
    expect(tasks[0]!.problems).toEqual([`${TARGET} does not have its commit ${landed_sha}`]);
  });

  test("finds a commit on the target that no task landed, wherever it stands there", async () => {
    const lab = await verifiedLab();
    const tip = gitIn(lab.root, "rev-parse", TARGET);
    const evil = gitIn(lab.root, "commit-tree", "main^{tree}", "-p", TARGET, "-m", "B\n\nLockstep-Task: B");
    const merge = gitIn(lab.root, "commit-tree", `${TARGET}^{tree}`, "-p", evil, "-p", tip, "-m", "merge");
    gitIn(lab.root, "update-ref", TARGET, merge);
    const strange = [merge, evil].map((commit) => `${TARGET} has a commit that no task landed: ${commit}`);
    const problems = [...strange, `the merge ${merge} is not what its parents make: "A.txt", "B.txt"`];
    expect(await prove(lab)).toMatchObject({ ok: false, tasks: [{ ok: true }, { ok: true }], problems, notes: [] });
  });

  test("in place a person's own commit on their branch is noted, and nothing wrong", async () => {
    const lab = await verifiedLab({ config: {} });
    gitIn(lab.root, "commit", "-q", "--allow-empty", "-m", "mine");
    const notes = [`refs/heads/main has a commit that no task landed: ${gitIn(lab.root, "rev-parse", "main")}`];
    expect(await prove(lab)).toMatchObject({ ok: true, problems: [], notes });
  });

  test("finds an attempt whose row is gone", async () => {
    const lab = await verifiedLab();
    await sql(lab, "DELETE FROM attempts WHERE task = 'A'");
    expect(await wrongWithA(lab)).toEqual(["the row of its attempt 1 is gone"]);
  });

  test("a target that was rebased still has the work, but what stands there is not what landed", async () => {
    const lab = await verifiedLab();
    const between = gitIn(lab.root, "commit-tree", "main^{tree}", "-p", "main", "-m", "in between");
    gitIn(lab.root, "worktree", "add", "-q", "--detach", join(lab.aside, "rebased"), TARGET);
    gitIn(join(lab.aside, "rebased"), "rebase", "-q", "--onto", between, "main");
    gitIn(lab.root, "update-ref", TARGET, gitIn(join(lab.aside, "rebased"), "rev-parse", "HEAD"));
    const { ok, tasks, problems } = await prove(lab);
    expect([ok, ...tasks.map((each) => each.ok)]).toEqual([false, true, true]);
    expect(problems).toHaveLength(3);
  });

  test("finds the output of a check that is gone, and one that was changed", async () => {
    const lab = await verifiedLab();
    const log = await logOfA(lab);
    const text = readFileSync(log, "utf8");
    appendFileSync(log, "and more\n");
    expect((await wrongWithA(lab))[0]).toMatch(
      /^the output of `echo looked; test -e A.txt` is not what its row says: /,
    );
    writeFileSync(log, `more before\n${text}`);
    expect((await wrongWithA(lab))[0]).toMatch(/is not what its row says: /);
    writeFileSync(log, text);
    expect(await prove(lab)).toMatchObject({ ok: true });
    rmSync(log);
    expect((await wrongWithA(lab))[0]).toMatch(/^the output of `echo looked; test -e A.txt` is not on this machine: /);
  });

  test("finds a check that was not green on the landed tree", async () => {
    const lab = await verifiedLab();
    const { landed_tree } = await taskRow(lab, "A");
    const missing = `verify \`echo looked; test -e A.txt\` has not been green on its tree ${landed_tree}`;
    await sql(lab, "UPDATE checks SET outcome = 'red', exit_code = 1 WHERE task = 'A' AND kind = 'verify'");
    expect(await wrongWithA(lab)).toEqual([missing]);
    await sql(lab, "DELETE FROM checks WHERE task = 'A' AND kind = 'verify'");
    expect(await wrongWithA(lab)).toEqual([missing]);
  });

  test("lists an operator's word as unverified, and lists nothing that is not verified", async () => {
    const lab = await makeLab({ kind: "repository", agent: "exit 1", tasks: TASKS });
    const command = { type: "task.override", plan: lab.plan.id, task: "A", why: "looked at it" } as const;
    expect((await lab.context.store.submit(command, { actor: "test" })).ok).toBe(true);
    const a = { id: "A", ok: true, landed: null, tree: null, unverified: true, checks: [], problems: [] };
    expect(await prove(lab)).toEqual({ ok: true, tasks: [a], problems: [], notes: [] });
  });

  test("in place in a repository the branch that is checked out is the proof", async () => {
    const lab = await verifiedLab({ config: {} });
    expect(await prove(lab)).toMatchObject({ ok: true, tasks: [{ id: "A" }, { id: "B" }] });
    gitIn(lab.root, "reset", "-q", "--hard", "HEAD~2");
    expect((await prove(lab)).tasks.map(({ ok }) => ok)).toEqual([false, false]);
  });

  test("in a plain directory nothing is landed: the checks and their outputs are the proof", async () => {
    const lab = await verifiedLab({ kind: "directory", config: {} });
    const { landed_tree } = await taskRow(lab, "A");
    expect(await prove(lab)).toMatchObject({
      ok: true,
      tasks: [{ landed: null, tree: landed_tree }, { landed: null }],
    });
    rmSync(await logOfA(lab));
    expect(await wrongWithA(lab)).toHaveLength(1);
  });
});
