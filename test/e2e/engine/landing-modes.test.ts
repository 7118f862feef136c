/** What the plan's branch gets of a task's work, by the mode of landing, and what the commit says. */

import { execFileSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planSettings } from "../../../src/config/config.ts";
import { provePlan } from "../../../src/engine/prove.ts";
import { readPlanFile } from "../../../src/plan-file/read-plan-file.ts";
import type { Brief } from "../../../src/ports/agent.ts";
import { gitIn, type Lab, makeLab, runLab, statesIn, taskRow } from "../../fixtures/lab.ts";

const TASKS = [{ id: "A", title: "Cart totals", verify: "test -s A.txt" }];

/** Commits twice by itself, and leaves a third change uncommitted. */
async function dispatch({ workspace, task }: Brief): Promise<{ summary: string }> {
  for (const step of ["one", "two"]) {
    appendFileSync(join(workspace, `${task.id}.txt`), `${step}\n`);
    const identity = ["-c", "user.name=An Agent", "-c", "user.email=agent@localhost"];
    execFileSync("git", ["add", "-A"], { cwd: workspace });
    execFileSync("git", [...identity, "commit", "-q", "-m", `step ${step}`], { cwd: workspace });
  }
  appendFileSync(join(workspace, `${task.id}.txt`), "three\n");
  return { summary: "Adds totals.\nLockstep-Task: B" };
}

function labWith(land: Record<string, unknown>): Promise<Lab> {
  const config = { workspace: { mode: "worktree" }, land };
  return makeLab({ kind: "repository", tasks: TASKS, dispatch, config });
}

function subjects(lab: Lab, ...args: string[]): string[] {
  return gitIn(lab.root, "log", "--format=%s", ...args, "main..lockstep/lab").split("\n");
}

describe("a landing", () => {
  test("by merge keeps the agent's own commits, under one commit that names the task", async () => {
    const lab = await labWith({ mode: "merge" });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(subjects(lab, "--first-parent")).toEqual(["Cart totals"]);
    expect(subjects(lab, "--no-merges").sort()).toEqual(["Cart totals", "step one", "step two"]);
  });

  test("by squash is one commit, whatever the agent committed", async () => {
    const lab = await labWith({ mode: "squash" });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(subjects(lab)).toEqual(["Cart totals"]);
    expect(gitIn(lab.root, "show", "lockstep/lab:A.txt")).toBe("one\ntwo\nthree");
  });

  test("says what the project's template says, under its author; an agent's words never name another task", async () => {
    const message = "{plan}/{task_id}: {title}\n\n{summary}\n\nDone-by: {agent}";
    const lab = await labWith({ mode: "squash", message, author: "The Fleet <fleet@localhost>" });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(gitIn(lab.root, "log", "-1", "--format=%an <%ae>%n%B", "lockstep/lab")).toBe(
      [
        ...["The Fleet <fleet@localhost>", "lab/A: Cart totals", "", "Adds totals.", ""],
        ...["Done-by: worker", "Lockstep-Task: A"],
      ].join("\n"),
    );
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
  });

  test("that is to be signed where git cannot sign takes no try, and nothing has landed", async () => {
    const lab = await labWith({ mode: "squash", sign: true });
    gitIn(lab.root, "config", "gpg.program", "false");
    const end = await runLab(lab, { maxWaitMs: 0, stop: AbortSignal.timeout(4_000) });
    expect(end.outcome).not.toBe("done");
    expect(await taskRow(lab, "A")).toMatchObject({ state: "claimed_done", tries: 0, attempts: 1 });
    expect(gitIn(lab.root, "log", "--format=%s", "lockstep/lab")).toBe("first");
  });

  test("that is off leaves the verified work at its attempt's ref, and moves no branch", async () => {
    const lab = await labWith({ mode: "off" });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(await statesIn(lab)).toEqual({ A: "verified" });
    expect(gitIn(lab.root, "log", "--format=%s", "lockstep/lab")).toBe("first");
    const row = await taskRow(lab, "A");
    expect(row).toMatchObject({ landed_target: null, satisfied: true, unlanded: true });
    expect(gitIn(lab.root, "rev-parse", "refs/lockstep/attempts/lab/A/1")).toBe(row.landed_sha);
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
    gitIn(lab.root, "update-ref", "refs/lockstep/attempts/lab/A/1", "main");
    const proof = await provePlan(lab.context, lab.plan);
    expect(proof.tasks[0]!.problems[0]).toMatch(/^its work is not kept: the attempt's ref is \w{40}, not \w{40}$/);
  });

  test("that is off is refused where a task depends on another, by name", async () => {
    const lab = await labWith({ mode: "off" });
    const file = join(lab.aside, "chain.json");
    const tasks = [...TASKS, { id: "B", depends_on: ["A"], verify: "test -s B.txt" }];
    writeFileSync(file, JSON.stringify({ plan: "chain", tasks }));
    const { config, hash } = await lab.project.configuration();
    const read = await readPlanFile(file, { settings: planSettings(config, hash) });
    const why = "with land.mode off nothing lands, so B would never see the work of A, which it depends on";
    expect(read).toMatchObject({
      ok: false,
      problems: [{ path: "tasks[1]", line: 1, message: `${why}: choose the mode merge, squash or pr` }],
    });
  });
});
