/** More deaths: of engines whose task is red, of engines one after the other, and of `task done`. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { taskDone } from "../../../src/engine/external.ts";
import type { CrashPoint } from "../../fixtures/crash-point.ts";
import { claimIn, gitIn, landedTasks, readText, runLab, taskRow, writeFiles } from "../../fixtures/lab.ts";
import { AGENT, around, at, crashAt, crashLab, finishes, TASKS } from "../../fixtures/lab-crash.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";

const RED_STEPS: Record<string, CrashPoint> = {
  "the red check is recorded": at("check.record", "after"),
  "the red work is saved": around("save", "after"),
  "the failed attempt is settled": at("attempt.settle", "after"),
};

describe("kill -9 of an engine whose task is red", () => {
  test.for(Object.keys(RED_STEPS))("when %s: the next try goes on with the work, which is kept", async (step) => {
    const lab = await crashLab("repository", {
      agent: `echo try >> tries.txt; test ${step.includes("attempt") ? "-e" : "-d"} "$ASIDE${step.includes("attempt") ? "/again" : ""}" || { touch "$ASIDE/again"; exit 1; }; ${AGENT}`,
      tasks: TASKS.map((task) => ({ ...task, verify: ["test $(wc -l < tries.txt) -ge 2", ...[task.verify].flat()] })),
    });
    await crashAt(lab, RED_STEPS[step]!);
    await finishes(lab);
    expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/A/1:tries.txt")).toBe("try");
    expect(gitIn(lab.root, "show", "main~1:tries.txt")).toBe("try\ntry");
  });
});

test("killed again and again at any time, engines carry the plan to its end together", async () => {
  const ids = ["A", "B", "C", "D", "E", "F"];
  const lab = await crashLab("repository", {
    agent: `sleep 0.1; ${AGENT}`,
    tasks: ids.map((id, i) => ({
      id,
      depends_on: ids.slice(Math.max(0, i - 1), i),
      verify: `sleep 0.1; grep -qx ${id} log.txt`,
    })),
  });
  for (let kills = 0; kills < KILLS_MAX; kills += 1) {
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    const timer = setTimeout(() => child.kill("SIGKILL"), 600 + Math.random() * 1_400);
    const { signal, out, err } = await ended;
    clearTimeout(timer);
    expect(err).toBe("");
    if (signal === null && out === "done\n") break;
  }
  const { context, project, plan } = lab;
  for (const { id } of await context.store.openItems(project.id, plan.id, 10))
    await context.store.submit(
      { type: "item.answer", plan: plan.id, item: id, option: "retry", text: null },
      { actor: "test" },
    );
  expect((await runLab(lab)).outcome).toBe("done");
  expect(landedTasks(lab)).toEqual(ids);
  expect(readText(lab.root, "log.txt")).toBe(`${ids.join("\n")}\n`);
  expect(gitIn(lab.root, "status", "--porcelain")).toBe("");
  expect(await context.store.verify()).toEqual([]);
  expect(leftProcesses(lab)).toEqual([]);
});

/** Each of them costs about two seconds; a plan that has ended before is fine. */
const KILLS_MAX = 6;

const DONE_STEPS: Record<string, CrashPoint> = {
  "the worker's word is recorded": at("task.done", "after"),
  "the candidate is built": around("candidate", "after"),
  "the check's process is recorded": at("landing.begin", "after"),
  "the green check is recorded": at("check.record", "after"),
  "the target has moved": around("land", "after"),
};

describe("kill -9 of a `task done`", () => {
  test.for(Object.keys(DONE_STEPS))("when %s: the next one completes it", async (step) => {
    const lab = await crashLab("repository");
    const { token } = (await claimIn(lab, "A")).lease;
    writeFiles(lab.root, { "a.txt": "A\n", "log.txt": "A\n" });
    const { ended } = startProcess(lab, { act: { done: "A", token }, point: DONE_STEPS[step]! });
    expect(await ended).toMatchObject({ signal: "SIGKILL", err: "" });
    expect((await taskRow(lab, "A")).state).toBe("claimed_done");
    const request = { plan: lab.plan, task: "A", token, summary: null };
    expect(await taskDone(lab.context, request)).toMatchObject({ task: { row: { state: "verified" } } });
    expect(landedTasks(lab)).toEqual(["A"]);
    await finishes(lab);
  });

  test("two at once for one task land it once, and neither says anything else than what became of it", async () => {
    const lab = await crashLab("repository");
    const { token } = (await claimIn(lab, "A")).lease;
    writeFiles(lab.root, { "a.txt": "A\n", "log.txt": "A\n" });
    const order = { act: { done: "A", token }, point: null };
    const ends = await Promise.all([startProcess(lab, order).ended, startProcess(lab, order).ended]);
    for (const { out, err } of ends) {
      expect(err).toBe("");
      expect(["verified\n", "claimed_done\n", "stale_token\n"]).toContain(out);
    }
    expect(ends.map(({ out }) => out)).toContain("verified\n");
    expect(landedTasks(lab)).toEqual(["A"]);
    await finishes(lab);
  });

  test("while a run waits for it: the run takes the landing over by itself", async () => {
    const lab = await crashLab("repository", {
      tasks: [{ id: "A", verify: 'touch "$ASIDE/checking"; test -e "$ASIDE/go" || sleep 600' }],
    });
    const { token } = (await claimIn(lab, "A")).lease;
    writeFiles(lab.root, { "a.txt": "A\n" });
    const { child, ended } = startProcess(lab, { act: { done: "A", token }, point: null });
    await expect.poll(() => existsSync(join(lab.aside, "checking")), { timeout: 20_000 }).toBe(true);
    const run = runLab(lab);
    await expect.poll(async () => (await lab.context.store.summary(lab.plan.id))?.run?.state).toBe("running");
    writeFileSync(join(lab.aside, "go"), "");
    child.kill("SIGKILL");
    await ended;
    expect((await run).outcome).toBe("done");
    expect(landedTasks(lab)).toEqual(["A"]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("while its check runs: a run completes it, and the old check is ended", async () => {
    const lab = await crashLab("repository", {
      tasks: [{ id: "A", verify: 'touch "$ASIDE/checking"; test -e "$ASIDE/go" || sleep 600' }],
    });
    const { token } = (await claimIn(lab, "A")).lease;
    writeFiles(lab.root, { "a.txt": "A\n" });
    const { child, ended } = startProcess(lab, { act: { done: "A", token }, point: null });
    await expect.poll(() => existsSync(join(lab.aside, "checking")), { timeout: 20_000 }).toBe(true);
    child.kill("SIGKILL");
    await ended;
    writeFileSync(join(lab.aside, "go"), "");
    expect((await runLab(lab)).outcome).toBe("done");
    expect(landedTasks(lab)).toEqual(["A"]);
    expect(leftProcesses(lab)).toEqual([]);
  });
});
