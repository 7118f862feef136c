/** A runner is killed at every step of its life: its attempt is lost, or settled by what it left; never both, and nothing of it lives. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CRASH_MARK, type CrashPoint } from "../../fixtures/crash-point.ts";
import { attemptsOf, eventsIn, gitIn, type Lab, readText, runLab } from "../../fixtures/lab.ts";
import { AGENT, crashLab, finishes, isSound, outcomesOf, system } from "../../fixtures/lab-crash.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";
import { mortalRunners } from "../../fixtures/lab-runners.ts";

/** Before its end is whole on the disk, all that it had is lost with it. */
const LOST: Record<string, CrashPoint> = {
  "is about to claim its spool": system("linkSync", "runner.json", "before"),
  "has claimed its spool": system("linkSync", "runner.json", "after"),
  "listens to its engine": system("watch", "control.jsonl", "after"),
  "is about to start the agent": system("spawn", "bash", "before"),
  "holds the agent": system("spawn", "bash", "after"),
  "is about to tell of the agent": system("appendFileSync", '"type":"started"', "before"),
  "has told of the agent, which has not begun": system("appendFileSync", '"type":"started"', "after"),
  "has an agent that ended, and is about to write that": system("openSync", "done.json", "before"),
  "has written half of its end": system("fsyncSync", "", "before"),
  "has written its end under another name": system("renameSync", "done.json", "before"),
};

const SETTLED: Record<string, CrashPoint> = {
  "has written its end": system("renameSync", "done.json", "after"),
  "is about to leave": system("utimesSync", "events.jsonl", "after"),
};

async function runWith(lab: Lab, point: CrashPoint): Promise<void> {
  const undo = mortalRunners(point);
  try {
    expect((await runLab(lab)).outcome).toBe("done");
  } finally {
    undo();
  }
  expect(existsSync(join(lab.aside, "runner-died"))).toBe(true);
}

/** The first one of all is only half done when it waits for its death. */
const HALF = `echo x >> half.txt; test -e "$ASIDE/again" || { touch "$ASIDE/again"; setsid sleep 600; }; ${AGENT}`;

async function killRunnerAtWork(lab: Lab): Promise<void> {
  const runner = async () => (await attemptsOf(lab, "A"))[0]?.process?.pid;
  await expect
    .poll(async () => existsSync(join(lab.aside, "again")) && (await runner()), { timeout: 20_000 })
    .toBeTruthy();
  process.kill((await runner())!, "SIGKILL");
}

describe("kill -9 of a runner under its engine", () => {
  test.for(Object.keys(LOST))("when it %s: the attempt is lost, and the next one does the work", async (step) => {
    const lab = await crashLab("worktree");
    await runWith(lab, LOST[step]!);
    await isSound(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["lost", "succeeded"]);
  });

  test.for(Object.keys(SETTLED))("when it %s: the attempt is settled by that", async (step) => {
    const lab = await crashLab("worktree");
    await runWith(lab, SETTLED[step]!);
    await isSound(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["succeeded"]);
  });

  test("while its agent works: the agent is ended, and what it did is kept for the next one", async () => {
    const lab = await crashLab("worktree", { agent: HALF });
    const running = runLab(lab);
    await killRunnerAtWork(lab);
    expect((await running).outcome).toBe("done");
    await isSound(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["lost", "succeeded"]);
    expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/A/1:half.txt")).toBe("x");
    expect(gitIn(lab.root, "show", "lockstep/lab~1:half.txt")).toBe("x\nx");
  });

  test("while a question is open: the next attempt asks it again, and goes on with the answer", async () => {
    const ask = `test "$LOCKSTEP_TASK_ID" = B || lockstep self ask 'Which one?' left right > "$ASIDE/answer"; ${AGENT}`;
    const lab = await crashLab("worktree", { agent: ask });
    const running = runWith(lab, system("appendFileSync", '"type":"ask"', "after"));
    const { store, actor } = lab.context;
    const asked = async () => (await eventsIn(lab)).filter((event) => event.type === "item.opened");
    await expect.poll(asked, { timeout: 20_000 }).toHaveLength(2);
    for (const { id } of await store.openItems(lab.project.id, lab.plan.id, 9))
      await store.submit({ type: "item.answer", plan: lab.plan.id, item: id, option: "left", text: null }, { actor });
    await running;
    await isSound(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["lost", "succeeded"]);
    expect(readText(lab.aside, "answer")).toBe("left\n");
  });
});

const BOTH: (keyof typeof LOST)[] = [
  "is about to claim its spool",
  "has told of the agent, which has not begun",
  "has written its end under another name",
];

describe("kill -9 of a runner whose engine is dead", () => {
  test.for(BOTH)("when it %s: the next engine hands the task on", async (step) => {
    const lab = await crashLab("worktree");
    // The engine dies as soon as it has started its runner, which goes on to its own end.
    const point = system("spawn", "runner.cjs", "after");
    const order = { act: { run: true }, point, runner: LOST[step]! } as const;
    expect(await startProcess(lab, order).ended).toMatchObject({ signal: "SIGKILL", err: "" });
    await expect.poll(() => existsSync(join(lab.aside, "runner-died")), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => leftProcesses(lab), { timeout: 20_000 }).toEqual([]);
    await finishes(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["lost", "succeeded"]);
  });

  test("in the middle of its agent's work: the agent is ended by the next engine, its work kept", async () => {
    const lab = await crashLab("worktree", { agent: HALF });
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await expect.poll(() => existsSync(join(lab.aside, "again")), { timeout: 20_000 }).toBe(true);
    child.kill("SIGKILL");
    await ended;
    await killRunnerAtWork(lab);
    await finishes(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["lost", "succeeded"]);
    expect(gitIn(lab.root, "show", "lockstep/lab~1:half.txt")).toBe("x\nx");
  });
});

test("what is built knows no step at which it ends itself", () => {
  const dir = fileURLToPath(new URL("../../../", import.meta.url));
  const point = readFileSync(join(dir, "test/fixtures/crash-point.ts"), "utf8");
  expect(point).toContain(CRASH_MARK);
  const built = readdirSync(join(dir, "dist"), { recursive: true, encoding: "utf8" });
  const programs = built.filter((name) => /\.[cm]?js$/.test(name));
  expect(programs).toEqual(expect.arrayContaining(["cli/runner.cjs", "cli/main.cjs"]));
  for (const name of programs) {
    const text = readFileSync(join(dir, "dist", name), "utf8");
    for (const sign of [CRASH_MARK, "LAB_POINT", "syncBuiltinESMExports"]) expect(text).not.toContain(sign);
  }
});
