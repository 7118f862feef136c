/** An agent leaves behind all that it can; however its attempt ends, nothing of it lives. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { localProcesses } from "../../../src/adapters/processes/local-processes.ts";
import { processHost } from "../../../src/adapters/spool/process-host.ts";
import { runnerProgram } from "../../../src/compose/runner-program.ts";
import type { WrittenTask } from "../../../src/plan-file/plan-schema.ts";
import { attemptsOf, type Lab, makeLab, openLab, runLab } from "../../fixtures/lab.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";
import { AWAY, livingNamed, newName, TRICKS, UNTIL_READY } from "../../fixtures/left-behind.ts";

const LEVEL = process.platform === "linux" ? await localProcesses().containment() : "group";
const HOUR_MS = 3_600_000;

interface LeavingLab extends Lab {
  name: string;
}

/** The agent of the first attempt leaves everything, says so with a file, and then does `last`; that of the next ends. */
async function leavingLab(
  level: "namespace" | "marks",
  last: string,
  task: Partial<WrittenTask> = {},
): Promise<LeavingLab> {
  const name = newName();
  const tricks = [...Object.values(TRICKS), ...(level === "namespace" ? [AWAY] : [])];
  const leaves = tricks.map((trick) => `${trick}\n${UNTIL_READY}\nrm ready`).join("\n");
  const agent = `NAME=${name}\nif [ ! -e "$ASIDE/left" ]; then ${leaves}\n: > "$ASIDE/left"; ${last}\nfi; echo done > done.txt`;
  const lab = await makeLab({
    ...{ kind: "repository", agent, config: { workspace: { mode: "worktree" } } },
    tasks: [{ id: "A", verify: "test -e done.txt", ...task }],
  });
  return { ...lab, name, context: level === "marks" ? withoutNamespace(lab, agent) : lab.context };
}

function withoutNamespace({ context, project, env }: Lab, agent: string): Lab["context"] {
  const { processes, runners } = context;
  const host = processHost({
    ...{ stateDir: project.stateDir, processes, clock: systemClock, program: runnerProgram() },
    agent: { adapter: "command", argv: ["bash", "-c", agent], pid_namespace: false },
    env: env as Record<string, string>,
    ...{ orphanMs: HOUR_MS, askWaitMs: HOUR_MS, watch: { first_output_ms: null, silence_ms: null } },
  });
  return { ...context, runners: { ...runners, host: () => host } };
}

function hasLeft({ aside }: Lab): Promise<void> {
  return expect.poll(() => existsSync(join(aside, "left")), { timeout: 20_000, interval: 20 }).toBe(true);
}

async function outcomes(lab: Lab): Promise<(string | null)[]> {
  return (await attemptsOf(lab, "A")).map(({ outcome }) => outcome);
}

function expectNothingLeft(lab: LeavingLab): void {
  expect(existsSync(join(lab.aside, "left"))).toBe(true);
  expect(livingNamed(lab.name)).toEqual([]);
  expect(leftProcesses(lab)).toEqual([]);
}

const LEVELS =
  LEVEL === "namespace" ? (["namespace", "marks"] as const) : LEVEL === "marks" ? (["marks"] as const) : [];

describe.each(LEVELS)("at level %s nothing of an agent lives", (level) => {
  test.each([
    ["ends well", "true", {}, ["succeeded"]],
    ["fails", "exit 3", {}, ["failed", "succeeded"]],
    ["times out", "sleep 600", { timeout: "6s" }, ["timed_out", "succeeded"]],
  ])("after it %s", async (_, last, task, ends) => {
    const lab = await leavingLab(level, last, task);
    expect((await runLab(lab)).outcome).toBe("done");
    expect(await outcomes(lab)).toEqual(ends);
    expectNothingLeft(lab);
  });

  test("after it is stopped", async () => {
    const lab = await leavingLab(level, "sleep 600");
    const kill = new AbortController();
    const run = runLab(lab, { kill: kill.signal });
    await hasLeft(lab);
    kill.abort();
    expect((await run).outcome).toBe("stopped");
    expect(await outcomes(lab)).toEqual(["interrupted"]);
    expectNothingLeft(lab);
  });

  test("field report 4: after its runner was killed", async () => {
    const lab = await leavingLab(level, "sleep 600");
    const run = runLab(lab);
    await hasLeft(lab);
    const runner = leftProcesses(lab).find((line) => line.includes("runner.cjs"))!;
    process.kill(Number(runner.split(" ")[0]), "SIGKILL");
    expect((await run).outcome).toBe("done");
    expect(await outcomes(lab)).toEqual(["lost", "succeeded"]);
    expectNothingLeft(lab);
  });
});

describe.runIf(LEVEL !== "group")("after a kill -9 of its engine", () => {
  test("field report 2: nothing of an agent lives when it has ended, though no engine came", async () => {
    const lab = await engineKilled('until [ -e "$ASIDE/go" ]; do sleep 0.05; done');
    writeFileSync(join(lab.aside, "go"), "");
    await expect.poll(() => leftProcesses(lab), { timeout: 20_000 }).toEqual([]);
    expectNothingLeft(lab);
    expect((await runLab({ ...lab, ...(await openLab(lab)) })).outcome).toBe("done");
    expect(await outcomes(lab)).toEqual(["succeeded"]);
  });

  test("field report 2: nothing of an agent lives whose runner was killed too, once the next engine has come", async () => {
    const lab = await engineKilled("sleep 600");
    const runner = leftProcesses(lab).find((line) => line.includes("runner.cjs"))!;
    process.kill(Number(runner.split(" ")[0]), "SIGKILL");
    expect((await runLab({ ...lab, ...(await openLab(lab)) })).outcome).toBe("done");
    expect(await outcomes(lab)).toEqual(["lost", "succeeded"]);
    expectNothingLeft(lab);
  });

  async function engineKilled(last: string): Promise<LeavingLab> {
    const lab = await leavingLab(LEVEL === "namespace" ? "namespace" : "marks", last);
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await hasLeft(lab);
    child.kill("SIGKILL");
    await ended;
    return lab;
  }
});
