/**
 * An engine is killed at every named step of its way; the next one finishes the plan. Every change stands in the history
 * exactly once, nothing is left running, and nothing of the user's is lost.
 */

import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CrashPoint } from "../../fixtures/crash-point.ts";
import { attemptsOf, gitIn, landedTasks, readText, runLab, writeFiles } from "../../fixtures/lab.ts";
import { around, at, crashAt, crashLab, finishes, TASKS } from "../../fixtures/lab-crash.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";

const STEPS: Record<string, CrashPoint> = {
  "the run has begun": at("run.start", "after"),
  "the task is claimed": at("task.claim", "after"),
  "its place is open": around("open", "after"),
  "the agent is held and not yet known": at("attempt.start", "before"),
  "the agent's process is recorded": at("attempt.start", "after"),
  "the agent has ended": at("attempt.settle", "before"),
  "the attempt is settled": at("attempt.settle", "after"),
  "the candidate is built": around("candidate", "after"),
  "the check is held": { port: "processes", call: "holdCheck", when: "after" },
  "the check's process is recorded": at("landing.begin", "after"),
  "the check was green": at("check.record", "before"),
  "the green check is recorded": at("check.record", "after"),
  "the target is about to move": around("land", "before"),
  "the target has moved": around("land", "after"),
  "the landing is recorded": at("landing.move", "after"),
  "the second task's landing is recorded": at("landing.move", "after", 2),
  "the run has ended": at("run.end", "after"),
};

const ofDirectory = [
  "the task is claimed",
  "the agent's process is recorded",
  "the attempt is settled",
  "the check's process is recorded",
  "the target has moved",
];

describe("kill -9 of an engine", () => {
  test.for(Object.keys(STEPS))("in a repository, when %s: the next run finishes the plan", async (step) => {
    const lab = await crashLab("repository");
    await crashAt(lab, STEPS[step]!);
    await finishes(lab);
  });

  test.for(ofDirectory)("in a plain directory, when %s: the next run finishes the plan", async (step) => {
    const lab = await crashLab("directory");
    await crashAt(lab, STEPS[step]!);
    await finishes(lab);
  });

  test("between the move of the branch and that of the index: the next run finishes the plan", async () => {
    const lab = await crashLab("repository");
    const bin = join(lab.aside, "bin");
    const real = gitIn(lab.root, "--exec-path");
    writeFiles(bin, {
      git: `#!/bin/bash\n"${real}/git" "$@"; code=$?\nif [[ " $* " == *" update-ref "*refs/heads/main* ]]; then kill -9 $PPID; fi\nexit $code\n`,
    });
    chmodSync(join(bin, "git"), 0o755);
    const { ended } = startProcess(lab, { act: { run: true }, point: null }, bin);
    expect(await ended).toMatchObject({ signal: "SIGKILL" });
    expect(landedTasks(lab)).toEqual(["A"]);
    await finishes(lab);
  });

  test("OMP: a task whose engine dies while its check runs is checked again, and the old check is ended", async () => {
    const lab = await crashLab("repository", {
      tasks: [{ id: "A", verify: 'echo . >> "$ASIDE/checked"; test -e "$ASIDE/go" || sleep 600' }],
    });
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await expect.poll(() => existsSync(join(lab.aside, "checked")), { timeout: 20_000 }).toBe(true);
    child.kill("SIGKILL");
    await ended;
    expect(leftProcesses(lab)).not.toEqual([]);
    writeFileSync(join(lab.aside, "go"), "");
    expect((await runLab(lab)).outcome).toBe("done");
    expect(readText(lab.aside, "checked")).toBe(".\n.\n");
    expect((await attemptsOf(lab, "A")).map(({ outcome }) => outcome)).toEqual(["succeeded"]);
    expect(landedTasks(lab)).toEqual(["A"]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("while a guard runs before the work: the next run ends it and finishes the plan", async () => {
    const lab = await crashLab("repository", {
      tasks: TASKS.map((task) => ({ ...task, guards: ['touch "$ASIDE/guarding"; test -e "$ASIDE/go" || sleep 600'] })),
    });
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await expect.poll(() => existsSync(join(lab.aside, "guarding")), { timeout: 20_000 }).toBe(true);
    child.kill("SIGKILL");
    await ended;
    writeFileSync(join(lab.aside, "go"), "");
    await finishes(lab);
  });
});
