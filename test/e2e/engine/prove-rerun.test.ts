/** `prove --rerun`: checks run anew on the landed tree, where nothing of an earlier run lies, and nothing of it stays. */

import { appendFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { provePlan } from "../../../src/engine/prove.ts";
import { gitIn, type Lab, type LabWish, makeLab, readText, runLab } from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";

const WORKTREE = { workspace: { mode: "worktree" } };

async function verifiedLab(over: Partial<LabWish>): Promise<Lab> {
  const tasks = [{ id: "A", verify: "test -e A.txt" }];
  const lab = await makeLab({ kind: "repository", config: WORKTREE, agent: "touch {task_id}.txt", tasks, ...over });
  expect(await runLab(lab)).toMatchObject({ outcome: "done" });
  return lab;
}

const rerun = (lab: Lab, signal = new AbortController().signal) => provePlan(lab.context, lab.plan, { rerun: signal });

/** Of one task that was looked at. */
async function problemsOf(lab: Lab): Promise<string[]> {
  const { ok, tasks, problems } = await rerun(lab);
  expect(problems).toEqual([]);
  expect(ok).toBe(false);
  return tasks[0]!.problems;
}

describe("prove --rerun", () => {
  test("says how each check ended, and leaves nothing behind", async () => {
    const said = 'echo "$LOCKSTEP_TASK $LOCKSTEP_CHECK_KIND $(git rev-parse HEAD)" >> "$ASIDE/ran"; (sleep 1000 &)';
    const lab = await verifiedLab({ tasks: [{ id: "A", verify: said, guards: ["test -e A.txt"] }] });
    const [folder, refs] = [
      join(lab.project.stateDir, "projects", lab.project.id, "worktrees"),
      gitIn(lab.root, "for-each-ref"),
    ];
    const before = [readdirSync(folder), gitIn(lab.root, "worktree", "list"), checkFiles(lab)];
    const { ok, tasks, notes } = await rerun(lab);
    expect({ ok, notes }).toEqual({ ok: true, notes: [] });
    expect(tasks[0]!.checks).toEqual([
      { command: said, exit_code: 0, rerun: "green" },
      { command: "test -e A.txt", exit_code: 0, rerun: "green" },
    ]);
    const line = `A verify ${tasks[0]!.landed}`;
    expect(readText(lab.aside, "ran")).toBe(`${line}\n${line}\n`);
    expect([readdirSync(folder), gitIn(lab.root, "worktree", "list"), checkFiles(lab)]).toEqual(before);
    expect(gitIn(lab.root, "for-each-ref")).toBe(refs);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("finds a check that was green only by what an earlier one left", async () => {
    const lab = await verifiedLab({
      files: { ".gitignore": "built\n" },
      tasks: [{ id: "A", verify: ['test -e built || test ! -e "$ASIDE/once"', 'touch built "$ASIDE/once"'] }],
    });
    expect(await problemsOf(lab)).toEqual([
      'verify `test -e built || test ! -e "$ASIDE/once"`, run anew on the landed tree, ended with 1',
    ]);
  });

  test("finds a check that is red now, with the end of its output, and one that is not done in its time", async () => {
    const verify = [
      'echo looked; test ! -e "$ASIDE/late"',
      { run: 'test ! -e "$ASIDE/late" || sleep 1000', timeout: "200ms" },
    ];
    const lab = await verifiedLab({ tasks: [{ id: "A", verify }] });
    appendFileSync(join(lab.aside, "late"), "");
    expect(await problemsOf(lab)).toEqual([
      'verify `echo looked; test ! -e "$ASIDE/late"`, run anew on the landed tree, ended with 1: looked',
      'verify `test ! -e "$ASIDE/late" || sleep 1000`, run anew on the landed tree, ended with 124 (timed out)',
    ]);
    expect((await provePlan(lab.context, lab.plan)).ok).toBe(true);
  });

  test("runs the setup of the worktrees first, and says when that fails", async () => {
    const setup = ['test ! -e "$ASIDE/broken"', "mkdir -p deps; touch deps/one"];
    const lab = await verifiedLab({
      config: { workspace: { mode: "worktree", setup } },
      files: { ".gitignore": "deps\n" },
      tasks: [{ id: "A", verify: "test -e deps/one -a -e A.txt" }],
    });
    expect(await rerun(lab)).toMatchObject({ ok: true });
    appendFileSync(join(lab.aside, "broken"), "");
    expect(await problemsOf(lab)).toEqual([
      'its checks cannot be run anew: the setup command "test ! -e \\"$ASIDE/broken\\"" ended with exit code 1: ',
    ]);
  });

  test("gives a guard the chances that a landing gives it, and a verify none", async () => {
    const first = 'test ! -e "$ASIDE/late" || test -e "$ASIDE/again" || { touch "$ASIDE/again"; exit 1; }';
    const lab = await verifiedLab({ tasks: [{ id: "A", verify: "test -e A.txt", guards: [first] }] });
    appendFileSync(join(lab.aside, "late"), "");
    expect(await rerun(lab)).toMatchObject({ ok: true });
    rmSync(join(lab.aside, "again"));
    const own = await verifiedLab({ tasks: [{ id: "A", verify: first }] });
    appendFileSync(join(own.aside, "late"), "");
    expect(await problemsOf(own)).toHaveLength(1);
  });

  test("ends when it is stopped, and says so", async () => {
    const stop = new AbortController();
    const lab = await verifiedLab({ tasks: [{ id: "A", verify: ["test -e A.txt", "test -e A.txt -a 1"] }] });
    stop.abort();
    expect((await rerun(lab, stop.signal)).tasks[0]!.problems).toEqual(["stopped while `test -e A.txt` ran anew"]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("in place a checkout is made beside the user's own, and removed", async () => {
    const lab = await verifiedLab({ config: {}, tasks: [{ id: "A", verify: 'test -e A.txt; pwd >> "$ASIDE/dirs"' }] });
    appendFileSync(join(lab.root, "A.txt"), "mine");
    expect(await rerun(lab)).toMatchObject({ ok: true });
    const [own, fresh] = readText(lab.aside, "dirs").split("\n");
    expect(own).toBe(lab.root);
    expect(fresh).not.toBe(lab.root);
    expect(existsSync(fresh!)).toBe(false);
    expect(gitIn(lab.root, "worktree", "list").split("\n")).toHaveLength(1);
    expect(readText(lab.root, "A.txt")).toBe("mine");
  });

  test("in a plain directory it says that nothing can be run anew", async () => {
    const lab = await verifiedLab({ kind: "directory", config: {} });
    const notes = ["the checks of A cannot be run anew: nothing is landed here"];
    expect(await rerun(lab)).toMatchObject({ ok: true, notes });
  });
});

function checkFiles({ project }: Lab): string[] {
  return readdirSync(join(project.stateDir, "blobs/checks"), { recursive: true }).map(String).sort();
}
