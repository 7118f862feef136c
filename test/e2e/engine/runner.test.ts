/** Runners outlive their engine: what they hold is adopted, what they left is settled, what died with them is handed on. */

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  attemptsOf,
  eventsIn,
  gitIn,
  type Lab,
  loadTasks,
  makeLab,
  openLab,
  readText,
  runLab,
  statesIn,
} from "../../fixtures/lab.ts";
import { AGENT, crashLab, finishes } from "../../fixtures/lab-crash.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";

/** Says that it is at work, and does it once it may. */
const PATIENT = `touch "$ASIDE/at-work-$LOCKSTEP_TASK_ID"; until [ -e "$ASIDE/go" -o "$LOCKSTEP_TASK_ID" = X ]; do sleep 0.05; done; ${AGENT}`;

async function killEngineAtWork(lab: Lab, shown = "at-work-A"): Promise<void> {
  const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
  await expect.poll(() => existsSync(join(lab.aside, shown)), { timeout: 20_000 }).toBe(true);
  child.kill("SIGKILL");
  await ended;
}

function runnerPid(lab: Lab): number {
  const line = leftProcesses(lab).find((process) => process.includes("runner.cjs"));
  expect(line).toBeDefined();
  return Number(line!.split(" ")[0]);
}

/** Signals the runner when its agent has made this file beside the project. */
async function signalRunnerAt(lab: Lab, shown: string, signal: NodeJS.Signals): Promise<void> {
  await expect.poll(() => existsSync(join(lab.aside, shown)), { timeout: 20_000 }).toBe(true);
  process.kill(runnerPid(lab), signal);
}

describe("after a kill -9 of its engine", () => {
  test("a live agent works on, and the next engine adopts it: one attempt, its token kept", async () => {
    const lab = await crashLab("repository", { agent: PATIENT });
    await killEngineAtWork(lab);
    const before = (await attemptsOf(lab, "A"))[0]!;
    const next = { ...lab, ...(await openLab(lab)) };
    const run = runLab(next);
    await expect.poll(async () => (await eventsIn(lab)).some(({ type }) => type === "attempt.adopted")).toBe(true);
    writeFileSync(join(lab.aside, "go"), "");
    expect((await run).outcome).toBe("done");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, outcome: "succeeded", token: before.token }]);
    await finishes(lab);
  });

  test("an agent that ends while no engine is there is settled by what its runner left", async () => {
    const lab = await crashLab("repository", { agent: PATIENT });
    await killEngineAtWork(lab);
    writeFileSync(join(lab.aside, "go"), "");
    await expect.poll(() => leftProcesses(lab), { timeout: 20_000 }).toEqual([]);
    await finishes(lab);
    expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, outcome: "succeeded" }]);
  });

  test("what its agent left behind is gone with it, even in a session of its own", async () => {
    const lab = await crashLab("repository", { agent: `setsid sleep 600 & ${PATIENT}` });
    await killEngineAtWork(lab);
    writeFileSync(join(lab.aside, "go"), "");
    await expect.poll(() => leftProcesses(lab), { timeout: 20_000 }).toEqual([]);
  });

  test("OMP: a runner that dies too is lost: its agent is ended, the work kept, the task handed on", async () => {
    const half = `if [ ! -e "$ASIDE/again" ]; then touch "$ASIDE/again"; echo half > half.txt; setsid sleep 600 & sleep 600; fi; ${AGENT}`;
    const lab = await crashLab("repository", { agent: half });
    await killEngineAtWork(lab, "project/../again");
    await expect.poll(() => existsSync(join(lab.root, "half.txt"))).toBe(true);
    process.kill(runnerPid(lab), "SIGKILL");
    expect(leftProcesses(lab).filter((line) => /^\d+ sleep/.test(line))).toHaveLength(2);
    await finishes(lab);
    expect((await attemptsOf(lab, "A")).map(({ outcome, error }) => [outcome, error])).toEqual([
      ["lost", "its runner died"],
      ["succeeded", null],
    ]);
    expect(gitIn(lab.root, "show", "refs/lockstep/saved/lab/A/1:half.txt")).toBe("half");
    expect(gitIn(lab.root, "show", "main:half.txt")).toBe("half");
  });

  test("a live agent of another plan works on while this one's engine runs, and after it", async () => {
    const lab = await otherPlanAtWork(2);
    const { other } = lab;
    expect((await runLab(other)).outcome).toBe("done");
    expect(await statesIn(lab)).toEqual({ A: "in_progress" });
    writeFileSync(join(lab.aside, "go"), "");
    expect((await runLab({ ...lab, ...(await openLab(lab)) })).outcome).toBe("done");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, outcome: "succeeded" }]);
  });

  test("a live agent of another plan is settled when it ends, so that its slot comes free", async () => {
    const lab = await otherPlanAtWork(1);
    const run = runLab(lab.other);
    await expect.poll(async () => (await eventsIn(lab)).some(({ type }) => type === "attempt.adopted")).toBe(true);
    writeFileSync(join(lab.aside, "go"), "");
    expect((await run).outcome).toBe("done");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, outcome: "succeeded" }]);
  });
});

/** `lab` has an agent at work whose engine is dead; `other` is a second plan of the same project. */
async function otherPlanAtWork(jobs: number): Promise<Lab & { other: Lab }> {
  const tasks = [{ id: "A", verify: "test -d ." }];
  const lab = await makeLab({ kind: "none", agent: PATIENT, tasks, config: { jobs } });
  await killEngineAtWork(lab);
  const opened = await openLab(lab);
  const plan = await loadTasks({ ...lab, ...opened }, [{ id: "X", verify: "test -d ." }], "other");
  return { ...lab, other: { ...lab, ...opened, plan } };
}

describe("a runner", () => {
  test("that is killed under its engine costs no try: the attempt is lost and nothing of it lives", async () => {
    const once = `if [ ! -e "$ASIDE/again" ]; then touch "$ASIDE/again"; sleep 600; fi; ${AGENT}`;
    const lab = await crashLab("repository", { agent: once });
    const run = runLab(lab);
    await signalRunnerAt(lab, "again", "SIGKILL");
    expect((await run).outcome).toBe("done");
    expect((await attemptsOf(lab, "A")).map(({ outcome }) => outcome)).toEqual(["lost", "succeeded"]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("that hangs and does not end its agent when it is asked to is ended, and its agent with it", async () => {
    const lab = await crashLab("repository", { agent: 'touch "$ASIDE/at-work"; sleep 600' });
    const { clock } = lab.context;
    // A clock whose patience is over at once.
    const hasty = {
      ...clock,
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms > 20_000 && ms <= 25_000 ? 50 : ms, signal),
      monotonic: () => clock.monotonic() * 500,
    };
    const kill = new AbortController();
    const run = runLab({ ...lab, context: { ...lab.context, clock: hasty } }, { kill: kill.signal });
    await signalRunnerAt(lab, "at-work", "SIGSTOP");
    kill.abort();
    expect((await run).outcome).toBe("stopped");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ outcome: "lost", error: "its runner died" }]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("that hangs is ended when the task's time is long over, without anybody's word", async () => {
    const once = 'if [ ! -e "$ASIDE/again" ]; then touch "$ASIDE/again"; sleep 600; fi';
    const tasks = [{ id: "A", verify: "test -d .", timeout: "5s" }];
    const lab = await makeLab({ kind: "none", agent: once, tasks });
    const { clock } = lab.context;
    // A clock on which the patience after the time limit is over soon.
    const monotonic = () => clock.monotonic() * 10;
    const sleep = (ms: number, signal?: AbortSignal) => clock.sleep(ms / 10, signal);
    const run = runLab({ ...lab, context: { ...lab.context, clock: { ...clock, monotonic, sleep } } });
    await signalRunnerAt(lab, "again", "SIGSTOP");
    expect((await run).outcome).toBe("done");
    expect((await attemptsOf(lab, "A")).map(({ outcome }) => outcome)).toEqual(["lost", "succeeded"]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("leaves its spool to its owner alone, with its protocol", async () => {
    const lab = await makeLab({ kind: "none", agent: "echo hello", tasks: [{ id: "A", verify: "test -d ." }] });
    await runLab(lab);
    const spool = join(lab.aside, "state/lockstep/blobs/attempts", lab.plan.id.slice(-2), lab.plan.id, "A-1");
    expect(readText(spool, "transcript.log")).toBe("hello\n");
    expect(JSON.parse(readText(spool, "launch.json"))).toMatchObject({ protocol: 1, attempt: { task: "A", n: 1 } });
    expect(JSON.parse(readText(spool, "done.json"))).toMatchObject({ outcome: "succeeded", summary: "hello" });
    expect(statSync(spool).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(spool, "runner.log"), "utf8")).toBe("");
  });
});

describe("an agent's word from its shell", () => {
  const TASK = { id: "A", verify: "test -d ." };

  test("on its progress and its work reaches the store through the runner", async () => {
    const agent = "lockstep self progress 'two of three'; lockstep self done 'all three'; echo noise";
    const lab = await makeLab({ kind: "none", agent, tasks: [TASK] });
    expect((await runLab(lab)).outcome).toBe("done");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ progress: "two of three", summary: "all three" }]);
  });

  test("of a question waits for the answer, which a person gives while it works", async () => {
    const agent = `lockstep self ask 'Which one?' left right > "$ASIDE/answer"`;
    const lab = await makeLab({ kind: "none", agent, tasks: [TASK] });
    const run = runLab(lab);
    const { store, actor } = lab.context;
    await expect.poll(() => store.openItems(lab.project.id, lab.plan.id, 9), { timeout: 10_000 }).toHaveLength(1);
    const [item] = await store.openItems(lab.project.id, lab.plan.id, 9);
    expect(item).toMatchObject({ kind: "question", text: "Which one?", task: "A" });
    await store.submit(
      { type: "item.answer", plan: lab.plan.id, item: item!.id, option: "right", text: null },
      { actor },
    );
    expect((await run).outcome).toBe("done");
    expect(readText(lab.aside, "answer")).toBe("right\n");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ outcome: "succeeded" }]);
  });

  test("never steers the plan: operators' commands are refused to it", async () => {
    const agent = `lockstep task skip A > "$ASIDE/said" 2>&1; true`;
    const lab = await makeLab({ kind: "none", agent, tasks: [TASK] });
    expect((await runLab(lab)).outcome).toBe("done");
    expect(readText(lab.aside, "said")).toContain("an agent may not steer its own plan");
  });
});
