/** `gc` frees what is proved to be landed, saved or of no more use, and nothing else. */

import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { windowsOf } from "../../../src/compose/windows.ts";
import { taskDone } from "../../../src/engine/external.ts";
import type { GcReport } from "../../../src/engine/gc.ts";
import { collectGarbage } from "../../../src/engine/gc.ts";
import { provePlan } from "../../../src/engine/prove.ts";
import { claimIn, gitIn, type Lab, type LabWish, loadTasks, makeLab, runLab, statesIn } from "../../fixtures/lab.ts";

const DAY_MS = 24 * 3_600_000;
const CONFIG = { workspace: { mode: "worktree" } };
const AGENT = 'echo {task_id} > "$LOCKSTEP_SLUG.txt"';

function labWith(wish: Partial<LabWish> = {}): Promise<Lab> {
  const tasks = ["A", "B"].map((id) => ({ id, verify: `test -e ${id}.txt` }));
  return makeLab({ kind: "repository", config: CONFIG, agent: AGENT, tasks, ...wish });
}

/** `days`: how far ahead the clock is. */
async function gc({ context, project, env }: Lab, { days = 0, dry_run = false, older = 30 } = {}): Promise<GcReport> {
  const clock = { ...context.clock, now: () => context.clock.now() + days * DAY_MS };
  const windows = windowsOf(project.stateDir, env);
  const report = await collectGarbage({ ...context, clock }, { older_than_ms: older * DAY_MS, dry_run, windows });
  if ("code" in report) throw new Error(report.text);
  return report;
}

function pool({ aside, project }: Lab): string {
  return join(aside, "state", "lockstep", "projects", project.id, "worktrees");
}

function inPool(lab: Lab): string[] {
  return existsSync(pool(lab)) ? readdirSync(pool(lab)).sort() : [];
}

function branches({ root }: Lab): string[] {
  return gitIn(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
}

const freedOf = ({ freed }: GcReport, kind: string): string[] =>
  freed.filter((each) => each.kind === kind).map(({ name }) => name);

/** All that a repository and the state directory hold, to see that nothing changed. */
function everything(lab: Lab): unknown {
  const files = readdirSync(lab.aside, { recursive: true, encoding: "utf8" });
  return [files.filter((name) => !/store\.db|index-|\/lockstep$/.test(name)).sort(), gitIn(lab.root, "for-each-ref")];
}

describe("gc", () => {
  test("frees idle worktrees and branches that have landed; what is verified is proved still, and the plan goes on", async () => {
    const lab = await labWith();
    expect(await runLab(lab, { jobs: 2 })).toMatchObject({ outcome: "done" });
    const before = everything(lab);
    const dry = await gc(lab, { dry_run: true });
    expect(everything(lab)).toEqual(before);
    const report = await gc(lab);
    expect({ ...report, dry_run: true }).toEqual(dry);
    expect(freedOf(report, "branch")).toEqual(["lockstep-work/lab/A", "lockstep-work/lab/B"]);
    expect(freedOf(report, "worktree")).toEqual(expect.arrayContaining(["1", expect.stringMatching(/^landing-/)]));
    expect(report.kept).toEqual([]);
    expect(report.bytes).toBeGreaterThan(0);
    expect(report.bytes).toBe(report.freed.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(inPool(lab)).toEqual([]);
    expect(branches(lab)).toEqual(["lockstep/lab", "main"]);
    expect(gitIn(lab.root, "worktree", "list").split("\n")).toHaveLength(1);
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
    expect(await gc(lab)).toEqual({ dry_run: false, freed: [], kept: [], bytes: 0 });
    lab.plan = await loadTasks(lab, [
      ...["A", "B"].map((id) => ({ id, verify: `test -e ${id}.txt` })),
      { id: "C", depends_on: ["A"], verify: "test -e A.txt && test -e C.txt" },
    ]);
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified", C: "verified" });
  });

  test("frees branches that were squashed onto the target", async () => {
    const lab = await labWith({ config: { ...CONFIG, land: { mode: "squash" } } });
    expect(await runLab(lab, { jobs: 2 })).toMatchObject({ outcome: "done" });
    expect(freedOf(await gc(lab), "branch")).toEqual(["lockstep-work/lab/A", "lockstep-work/lab/B"]);
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
  });

  test("keeps a branch whose work has not landed, has grown since, or is checked out, and says so of the last two", async () => {
    const tasks = [..."ABC"].map((id) => ({
      id,
      verify: id === "C" ? "test -e never" : `test -e ${id}.txt`,
      tries: 1,
    }));
    const lab = await labWith({ tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "failed" });
    const tree = gitIn(lab.root, "rev-parse", "main^{tree}");
    const more = gitIn(lab.root, "commit-tree", tree, "-p", "lockstep-work/lab/A", "-m", "more");
    gitIn(lab.root, "branch", "-f", "lockstep-work/lab/A", more);
    // The worktrees are freed first: a branch that one of them has checked out is in its own way only.
    const place = join(lab.aside, "a look");
    gitIn(lab.root, "worktree", "add", "--quiet", "--force", place, "lockstep-work/lab/B");
    const report = await gc(lab);
    expect(freedOf(report, "branch")).toEqual([]);
    expect(report.kept.filter(({ kind }) => kind === "branch")).toEqual([
      { kind: "branch", name: "lockstep-work/lab/A", why: "not all of it is found on lockstep/lab" },
      { kind: "branch", name: "lockstep-work/lab/B", why: `it is checked out in ${place}` },
    ]);
    expect(branches(lab)).toEqual([..."ABC"].map((id) => `lockstep-work/lab/${id}`).concat("lockstep/lab", "main"));
    expect(gitIn(lab.root, "show", "lockstep-work/lab/C:C.txt")).toBe("C");
  });

  test("frees the worktree of a failed task, whose work is saved, and keeps one that holds what nobody has saved", async () => {
    const lab = await labWith({ tasks: [{ id: "A", verify: "test -e never", tries: 1 }] });
    expect(await runLab(lab)).toMatchObject({ outcome: "failed" });
    const file = join(pool(lab), "1", "by hand.txt");
    writeFileSync(file, "a person's\n");
    const kept = await gc(lab);
    expect(kept.kept).toEqual([
      { kind: "worktree", name: "1", why: "it holds changes that are saved nowhere (by hand.txt)" },
    ]);
    expect(existsSync(file)).toBe(true);
    // Also where git was told not to look.
    rmSync(file);
    gitIn(join(pool(lab), "1"), "add", "A.txt");
    gitIn(join(pool(lab), "1"), "update-index", "--assume-unchanged", "A.txt");
    writeFileSync(join(pool(lab), "1", "A.txt"), "edited\n");
    expect((await gc(lab)).kept[0]?.why).toBe("it holds changes that are saved nowhere (A.txt)");
    writeFileSync(join(pool(lab), "1", "A.txt"), "A\n");
    writeFileSync(join(pool(lab), "1", "ignored"), "built\n");
    expect(freedOf(await gc(lab), "worktree")).toContain("1");
    expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/A/1:A.txt")).toBe("A");
  });

  test("keeps a worktree whose HEAD is at commits of no branch", async () => {
    const lab = await labWith();
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    const slot = join(pool(lab), "1");
    gitIn(slot, "checkout", "-q", "--detach");
    gitIn(slot, "commit", "-q", "--allow-empty", "-m", "beside");
    expect((await gc(lab)).kept).toEqual([
      { kind: "worktree", name: "1", why: "its HEAD is at a commit that no branch has" },
    ]);
  });

  test("does not take copies of the user's own files for work", async () => {
    const lab = await labWith({ config: { workspace: { mode: "worktree", copy: ["local.env"] } } });
    writeFileSync(join(lab.root, "local.env"), "SETTING=1\n");
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(existsSync(join(pool(lab), "1", "local.env"))).toBe(true);
    const report = await gc(lab);
    expect(report.kept).toEqual([]);
    expect(freedOf(report, "worktree")).toContain("1");
  });

  test("leaves the worktree of a live attempt alone though nothing has changed in it, and the one that checks run in", async () => {
    const wait = 'touch "$ASIDE/checking"; until test -e "$ASIDE/go"; do sleep 0.02; done; test -e A.txt';
    const lab = await labWith({ tasks: [{ id: "A", verify: wait }] });
    const { workspace, task } = await claimIn(lab, "A");
    expect((await gc(lab, { days: 31 })).kept).toEqual([{ kind: "worktree", name: "1", why: "lab/A#1 has it" }]);
    writeFileSync(join(workspace.dir, "A.txt"), "A\n");
    const token = task.lease!.token;
    const done = taskDone(lab.context, { plan: lab.plan, task: "A", token, summary: null });
    while (!existsSync(join(lab.aside, "checking"))) await new Promise((resolve) => setTimeout(resolve, 5));
    const report = await gc(lab, { days: 31 });
    expect(report.freed).toEqual([]);
    expect(report.kept).toEqual([
      { kind: "worktree", name: "1", why: "lab/A#1 has it" },
      { kind: "worktree", name: expect.stringMatching(/^landing-/), why: "lab/A#1 is checked there" },
    ]);
    writeFileSync(join(lab.aside, "go"), "");
    expect(await done).toMatchObject({ task: { row: { state: "verified" } } });
  });

  test("touches nothing of a live run, however often it is called", async () => {
    const tasks = Array.from({ length: 12 }, (_, index) => ({
      id: `T-${index}`,
      verify: `test -e T-${index}.txt`,
      depends_on: index > 3 ? [`T-${index - 4}`] : [],
    }));
    const lab = await labWith({ tasks });
    let isOver = false;
    const running = runLab(lab, { jobs: 4 }).finally(() => {
      isOver = true;
    });
    let calls = 0;
    for (; !isOver; calls++) await gc(lab, { days: 31 });
    expect(await running).toMatchObject({ outcome: "done" });
    expect(calls).toBeGreaterThan(3);
    expect(new Set(Object.values(await statesIn(lab)))).toEqual(new Set(["verified"]));
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
    await gc(lab);
    expect(inPool(lab)).toEqual([]);
  });

  test("frees what settled attempts left when it is old, not of those that go on, and never what proves a task", async () => {
    const tasks = [
      { id: "A", verify: "test -e A.txt" },
      { id: "B", verify: "test -e never", tries: 2, depends_on: ["A"] },
    ];
    const lab = await labWith({ tasks });
    expect(await runLab(lab)).toMatchObject({ outcome: "failed" });
    await lab.context.store.submit(
      { type: "task.retry", plan: lab.plan.id, task: "B", fresh: false },
      { actor: "test" },
    );
    const folder = `attempts/${lab.plan.id.slice(-2)}/${lab.plan.id}`;
    const left = (): string[] => readdirSync(join(lab.aside, "state/lockstep/blobs", folder)).sort();
    for (const name of ["A-1", "B-1", "B-2"]) await lab.context.blobs.write(`${folder}/${name}/brief.json`, "{}\n");
    expect(freedOf(await gc(lab), "attempts")).toEqual([]);
    const report = await gc(lab, { days: 31 });
    expect(report.freed.filter(({ kind }) => kind === "attempts")).toEqual([
      { kind: "attempts", name: "lab", count: 2, bytes: expect.any(Number) },
    ]);
    expect(left()).toEqual(["B-2"]);
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
  });

  test("leaves what other projects and other stores have, unless nobody has touched it for long", async () => {
    const lab = await labWith({ tasks: [{ id: "A", verify: "test -e A.txt" }] });
    const name = "attempts/zz/00000000-0000-7000-8000-0000000000zz/A-1/brief.json";
    await lab.context.blobs.write(name, "{}\n");
    expect(freedOf(await gc(lab, { days: 6, older: 1 }), "attempts")).toEqual([]);
    const freed = freedOf(await gc(lab, { days: 8, older: 1 }), "attempts");
    expect(freed).toEqual(["00000000-0000-7000-8000-0000000000zz (no plan of this store)"]);
    expect(await lab.context.blobs.find(name)).toBeNull();
  });

  test("clears up after killed processes, and points at repositories that agents made", async () => {
    const lab = await labWith();
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    const folder = pool(lab);
    const made = (name: string, isOld: boolean): void => {
      writeFileSync(join(folder, name), "{");
      if (isOld) utimesSync(join(folder, name), 1_000, 1_000);
    };
    made("1.json.4711", true);
    made("2.json.4711", false);
    mkdirSync(join(folder, "3.gone-4711"));
    made("3.gone-4711/file", false);
    mkdirSync(join(folder, "1.repository-nested"));
    const report = await gc(lab);
    expect(freedOf(report, "temporary")).toEqual(["1.json.4711", "3.gone-4711"]);
    expect(report.kept).toEqual([
      {
        kind: "temporary",
        name: join(folder, "1.repository-nested"),
        why: "it is a repository that an agent made: look at it, then remove it",
      },
    ]);
    expect(inPool(lab)).toEqual(["1.repository-nested", "2.json.4711"]);
  });

  test("has nothing to do where attempts have no worktrees, but for what they printed", async () => {
    const lab = await labWith({ kind: "directory", config: {} });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(await gc(lab)).toEqual({ dry_run: false, freed: [], kept: [], bytes: 0 });
  });
});
