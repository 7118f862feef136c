/** What operators do to what is alive, as the engine carries it out on real agents; and agents that are given up. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RowCommand } from "../../../src/core/task/commands.ts";
import { panic } from "../../../src/engine/panic.ts";
import { attemptsOf, eventsIn, type Lab, makeLab, openLab, readText, runLab, statesIn } from "../../fixtures/lab.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";

/** Says that it is at work; the second time it does it. */
const ONCE =
  'if [ ! -e "$ASIDE/again" ]; then touch "$ASIDE/again"; cat > "$ASIDE/first"; sleep 600; fi; cat > "$ASIDE/second"';
const TASKS = [{ id: "A", title: "Do it", verify: "test -d ." }];

async function atWork(lab: Lab, shown = "again"): Promise<void> {
  await expect.poll(() => existsSync(join(lab.aside, shown)), { timeout: 20_000 }).toBe(true);
}

/** Runs the plan; when its agent is at work, somebody else says this. */
async function steered(lab: Lab, wish: object): Promise<string> {
  const run = runLab(lab);
  await atWork(lab);
  const { context } = await openLab(lab);
  const command = { plan: lab.plan.id, task: "A", ...wish } as RowCommand;
  expect(await context.store.submit(command, { actor: "anna" })).toMatchObject({ ok: true });
  return (await run).outcome;
}

const outcomes = async (lab: Lab): Promise<unknown[]> =>
  (await attemptsOf(lab, "A")).map(({ outcome, error }) => [outcome, error]);

describe("a live attempt", () => {
  test("that is requeued ends, its task goes on at once, and no try is spent", async () => {
    const lab = await makeLab({ kind: "none", agent: ONCE, tasks: TASKS, defaults: { tries: 1 } });
    expect(await steered(lab, { type: "attempt.stop", as: "interrupted", why: "a better idea", then: "pending" })).toBe(
      "done",
    );
    expect(await outcomes(lab)).toEqual([
      ["interrupted", "a better idea"],
      ["succeeded", null],
    ]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("that is killed is a try", async () => {
    const lab = await makeLab({ kind: "none", agent: ONCE, tasks: TASKS, defaults: { tries: 1 } });
    expect(await steered(lab, { type: "attempt.stop", as: "cancelled", why: "enough", then: null })).toBe("failed");
    expect(await outcomes(lab)).toEqual([["cancelled", "enough"]]);
  });

  test("that is killed at once is not asked, and the next agent is told to check what it left", async () => {
    const deaf = `trap '' TERM; ${ONCE}`;
    const lab = await makeLab({ kind: "none", agent: deaf, tasks: TASKS });
    const wish = { type: "attempt.stop", as: "cancelled", why: "enough", then: null, at_once: true };
    expect(await steered(lab, wish)).toBe("done");
    expect((await outcomes(lab))[0]).toEqual(["cancelled", "enough"]);
    expect(readText(lab.aside, "first")).toBe("Do it\n");
    expect(readText(lab.aside, "second")).toContain(
      "The agent before you was killed while it worked in this workspace. Check what it left before you go on",
    );
  });

  test("that is asked to end and ends is not told of as killed", async () => {
    const lab = await makeLab({ kind: "none", agent: ONCE, tasks: TASKS });
    expect(await steered(lab, { type: "attempt.stop", as: "cancelled", why: "enough", then: null })).toBe("done");
    expect(readText(lab.aside, "second")).not.toContain("killed");
  });

  test("has its time, and more when an operator extends it, also under the next engine", async () => {
    const slow = 'touch "$ASIDE/again"; sleep 4; touch "$ASIDE/done"';
    const lab = await makeLab({ kind: "none", agent: slow, tasks: TASKS, defaults: { timeout: "2s", tries: 1 } });
    expect(await steered(lab, { type: "attempt.extend", ms: 60_000 })).toBe("done");
    const late = await makeLab({ kind: "none", agent: slow, tasks: TASKS, defaults: { timeout: "1s", tries: 1 } });
    expect((await runLab(late)).outcome).toBe("failed");
    expect(await outcomes(late)).toEqual([["timed_out", "no end within 1 s"]]);
    expect(existsSync(join(late.aside, "done"))).toBe(false);
  });

  test("that is interrupted lives on: its agent goes on with the message, in the same attempt", async () => {
    const lab = await makeLab({ kind: "none", agent: ONCE, tasks: TASKS });
    expect(await steered(lab, { type: "attempt.interrupt", message: "Use tabs." })).toBe("done");
    expect(await outcomes(lab)).toEqual([["succeeded", null]]);
    expect(readText(lab.aside, "second")).toBe("Do it\n\nYou had begun on this when you were interrupted. Use tabs.\n");
  });
});

describe("a place that is still made ready", () => {
  const slow = { mode: "worktree", setup: ['touch "$ASIDE/again"; [ -e "$ASIDE/go" ] || sleep 600'] };
  const preparing = () => makeLab({ kind: "repository", tasks: TASKS, config: { workspace: slow } });
  const setups = (lab: Lab): string[] => leftProcesses(lab).filter((line) => line.includes("sleep 600"));

  test.each([
    ["requeue", { type: "attempt.stop", as: "interrupted", why: "enough", then: "pending" }],
    ["cancel", { type: "task.cancel", why: "enough" }],
  ])("is given up when its attempt is to end: %s", async (_, wish) => {
    const lab = await preparing();
    const run = runLab(lab);
    await atWork(lab);
    expect(setups(lab)).not.toEqual([]);
    const { context } = await openLab(lab);
    await context.store.submit({ plan: lab.plan.id, task: "A", ...wish } as RowCommand, { actor: "anna" });
    writeFileSync(join(lab.aside, "go"), "");
    await expect.poll(() => setups(lab), { timeout: 10_000 }).toEqual([]);
    await run;
    expect((await attemptsOf(lab, "A"))[0]).toMatchObject({ error: "enough" });
  });

  test("is given up in a panic, and with the run; what its engine's death leaves of it is ended by the next", async () => {
    const lab = await preparing();
    const kill = new AbortController();
    const run = runLab(lab, { kill: kill.signal });
    await atWork(lab);
    const { context } = await openLab(lab);
    await panic(context.store, "anna", "panic: smoke");
    await expect.poll(() => setups(lab), { timeout: 10_000 }).toEqual([]);
    await expect.poll(() => statesIn(lab), { timeout: 10_000 }).toEqual({ A: "pending" });
    kill.abort();
    expect((await run).outcome).toBe("stopped");
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await expect.poll(() => setups(lab), { timeout: 20_000 }).not.toEqual([]);
    child.kill("SIGKILL");
    await ended;
    expect(setups(lab)).not.toEqual([]);
    const never = AbortSignal.abort();
    await runLab(lab, { kill: never });
    expect(setups(lab)).toEqual([]);
  });
});

describe("a panic", () => {
  test("OB: kills agents at once, starts nothing, and holds everything until somebody resumes", async () => {
    const tasks = [..."ABC"].map((id) => ({ id, title: id, verify: "test -d ." }));
    const deaf = `trap '' TERM; if [ ! -e "$ASIDE/go" ]; then touch "$ASIDE/at-$LOCKSTEP_TASK_ID"; sleep 600; fi`;
    const lab = await makeLab({ kind: "none", agent: deaf, tasks, config: { jobs: 2 }, defaults: { tries: 1 } });
    const run = runLab(lab, { jobs: 2 });
    await atWork(lab, "at-A");
    await atWork(lab, "at-B");
    const { context } = await openLab(lab);
    const { attempts } = await panic(context.store, "anna", "panic: smoke");
    expect(attempts.map(({ task }) => task).sort()).toEqual(["A", "B"]);
    await expect
      .poll(async () => await statesIn(lab), { timeout: 20_000 })
      .toEqual({ A: "pending", B: "pending", C: "pending" });
    expect(leftProcesses(lab).filter((line) => line.includes("sleep 600"))).toEqual([]);
    expect((await context.store.lastRun(lab.plan.id))!).toMatchObject({ state: "paused", panic: true });
    expect((await attemptsOf(lab, "A"))[0]).toMatchObject({ outcome: "cancelled", error: "panic: smoke" });
    writeFileSync(join(lab.aside, "go"), "");
    await context.store.submit({ type: "run.resume", plan: lab.plan.id, tasks_max: null }, { actor: "anna" });
    expect((await run).outcome).toBe("done");
    expect((await eventsIn(lab)).filter(({ type }) => type === "attempt.created")).toHaveLength(5);
  });

  test("kills checks too, whose task waits for them as before", async () => {
    const verify = 'if [ ! -e "$ASIDE/go" ]; then touch "$ASIDE/checks"; sleep 600; fi';
    const lab = await makeLab({ kind: "none", tasks: [{ id: "A", verify }] });
    const run = runLab(lab);
    await atWork(lab, "checks");
    const { context } = await openLab(lab);
    await panic(context.store, "anna", "panic: smoke");
    await expect.poll(() => leftProcesses(lab), { timeout: 20_000 }).toEqual([]);
    expect(await statesIn(lab)).toEqual({ A: "claimed_done" });
    writeFileSync(join(lab.aside, "go"), "");
    await context.store.submit({ type: "run.resume", plan: lab.plan.id, tasks_max: null }, { actor: "anna" });
    expect((await run).outcome).toBe("done");
  });
});

describe("an agent that is silent", () => {
  const watched = (agent: string, watch: object) =>
    makeLab({
      kind: "none",
      tasks: TASKS,
      defaults: { tries: 1 },
      config: {
        agents: {
          worker: { adapter: "command", command: ["bash", "-c", agent], pass_env: ["LAB_MARK", "ASIDE"], ...watch },
        },
      },
    });

  test("field report 16: from its start is given up by its first output's time", async () => {
    const lab = await watched("sleep 600", { first_output: "1s" });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await outcomes(lab)).toEqual([["stalled", "no first output within 1 s"]]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("for too long is given up, with its last words", async () => {
    const lab = await watched("for i in 1 2 3; do printf .; sleep 0.5; done; sleep 600", { silence: "2s" });
    expect((await runLab(lab)).outcome).toBe("failed");
    expect(await outcomes(lab)).toEqual([["stalled", "nothing was heard of it for 2 s: ..."]]);
  });
});
