/** Attempts that people can watch in tmux: the sessions come and go with them, and nothing hangs on a session. */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { windowsOf } from "../../../src/compose/windows.ts";
import { collectGarbage } from "../../../src/engine/gc.ts";
import { type Windows, windowOf } from "../../../src/ports/windows.ts";
import {
  attemptsOf,
  eventsIn,
  type Lab,
  type LabWish,
  makeLab,
  openLab,
  runLab,
  statesIn,
} from "../../fixtures/lab.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";

const PATIENT = `echo "$LOCKSTEP_TASK_ID at work"; touch "$ASIDE/at-work-$LOCKSTEP_TASK_ID"; until [ -e "$ASIDE/go" ]; do sleep 0.05; done`;
const TASKS = ["A", "B.1"].map((id) => ({ id, prompt: "the secret words of the prompt", verify: "test -d ." }));

async function tmuxLab(over: Partial<LabWish> = {}): Promise<{ lab: Lab; windows: Windows }> {
  const config = { host: "tmux", jobs: 2 };
  const lab = await makeLab({ kind: "none", agent: PATIENT, tasks: TASKS, config, ...over });
  onTestFinished(() => killServer(lab));
  return { lab, windows: windowsOf(lab.project.stateDir, lab.env) };
}

function tmux(lab: Lab, ...args: string[]): string {
  return execFileSync("tmux", ["-S", join(lab.project.stateDir, "tmux.sock"), ...args], {
    encoding: "utf8",
    stdio: "pipe",
  });
}

function killServer(lab: Lab): void {
  try {
    tmux(lab, "kill-server");
  } catch {
    // None is left when every session has gone.
  }
}

/** A session of that name that goes on whatever becomes of the attempt. */
function putSession(lab: Lab, attempt: Parameters<typeof windowOf>[0]): void {
  const { slug, n, plan_end } = windowOf(attempt);
  tmux(lab, "-f", "/dev/null", "new-session", "-d", "-s", `${slug}-${n}-${plan_end}`, "sleep", "600");
}

async function sessionsOf(windows: Windows): Promise<string[]> {
  return (await windows.list()).map(({ slug, n }) => `${slug}#${n}`).sort();
}

async function atWork(lab: Lab): Promise<void> {
  for (const { id } of TASKS)
    await expect.poll(() => existsSync(join(lab.aside, `at-work-${id}`)), { timeout: 20_000 }).toBe(true);
}

/** What every living process was started with. */
function commandLines(): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, "utf8")] : [];
    } catch (error) {
      if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
      throw error;
    }
  });
}

describe("host tmux", () => {
  test("OMW-1 OMW-5: each attempt has a session of its own while it lives, which shows its agent; with it the session goes", async () => {
    const { lab, windows } = await tmuxLab();
    const run = runLab(lab, { jobs: 2 });
    await atWork(lab);
    const plan_end = lab.plan.id.slice(-12);
    const names = (await windows.list()).map((window) => ({ n: window.n, plan_end: window.plan_end }));
    expect(names).toEqual([
      { n: 1, plan_end },
      { n: 1, plan_end },
    ]);
    const pane = (): string => tmux(lab, "capture-pane", "-p", "-t", `=A-1-${plan_end}:`).trimEnd();
    await expect.poll(pane, { timeout: 10_000 }).toBe("A at work");
    writeFileSync(join(lab.aside, "go"), "");
    expect((await run).outcome).toBe("done");
    expect(await windows.list()).toEqual([]);
    expect(leftProcesses(lab)).toEqual([]);
  });

  test("OMW: a prompt stands in no command line, and the server knows nothing of the environment", async () => {
    const { lab } = await tmuxLab();
    const run = runLab(lab, { jobs: 2 });
    await atWork(lab);
    expect(commandLines().filter((line) => line.includes("secret words"))).toEqual([]);
    expect(tmux(lab, "show-environment", "-g")).not.toContain("LAB_MARK");
    writeFileSync(join(lab.aside, "go"), "");
    await run;
  });

  test("neither the end of the engine nor that of the whole tmux server ends an attempt; it is adopted and succeeds", async () => {
    const { lab, windows } = await tmuxLab();
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await expect.poll(() => sessionsOf(windows), { timeout: 20_000 }).toHaveLength(2);
    await atWork(lab);
    child.kill("SIGKILL");
    await ended;
    tmux(lab, "kill-server");
    const next = { ...lab, ...(await openLab(lab)) };
    const run = runLab(next);
    await expect.poll(async () => (await eventsIn(lab)).some(({ type }) => type === "attempt.adopted")).toBe(true);
    writeFileSync(join(lab.aside, "go"), "");
    expect((await run).outcome).toBe("done");
    expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, outcome: "succeeded" }]);
    expect(await windows.list()).toEqual([]);
  });

  test("field report 9: the session of an attempt that ended with no engine there goes when the next one settles it", async () => {
    const { lab, windows } = await tmuxLab({ tasks: TASKS.slice(0, 1) });
    const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
    await expect.poll(() => sessionsOf(windows), { timeout: 20_000 }).toEqual(["A#1"]);
    await expect.poll(() => existsSync(join(lab.aside, "at-work-A")), { timeout: 20_000 }).toBe(true);
    child.kill("SIGKILL");
    await ended;
    writeFileSync(join(lab.aside, "go"), "");
    await expect.poll(() => leftProcesses(lab), { timeout: 20_000 }).toEqual([]);
    expect((await runLab({ ...lab, ...(await openLab(lab)) })).outcome).toBe("done");
    expect(await windows.list()).toEqual([]);
  });

  test("field report 8: a session of the same name that somebody made costs the view, never the attempt", async () => {
    const { lab } = await tmuxLab({ tasks: TASKS.slice(0, 1) });
    putSession(lab, { plan: lab.plan.id, slug: "A", n: 1 });
    writeFileSync(join(lab.aside, "go"), "");
    expect((await runLab(lab)).outcome).toBe("done");
    expect(await attemptsOf(lab, "A")).toMatchObject([
      {
        outcome: "succeeded",
        progress: expect.stringMatching(/^no session of tmux shows it: duplicate session: A-1-/),
      },
    ]);
  });

  test("gc removes the sessions of attempts that are settled, and of this project alone", async () => {
    const { lab, windows } = await tmuxLab({ config: { jobs: 2 } });
    writeFileSync(join(lab.aside, "go"), "");
    await runLab(lab);
    expect(await statesIn(lab)).toEqual({ A: "verified", "B.1": "verified" });
    const stranger = { plan: "ffff-ffff-ffffffffffff", slug: "A", n: 1 };
    for (const attempt of [{ ...stranger, plan: lab.plan.id }, { ...stranger, plan: lab.plan.id, n: 7 }, stranger])
      putSession(lab, attempt);
    const request = { older_than_ms: 1_000_000, windows };
    const freed = [{ kind: "session", name: "lab/A#1", count: 1, bytes: 0 }];
    expect(await collectGarbage(lab.context, { ...request, dry_run: true })).toMatchObject({ freed });
    expect(await windows.list()).toHaveLength(3);
    expect(await collectGarbage(lab.context, { ...request, dry_run: false })).toMatchObject({ freed });
    const left = (await windows.list()).sort((a, b) => a.n - b.n);
    expect(left).toEqual([windowOf(stranger), windowOf({ ...stranger, plan: lab.plan.id, n: 7 })]);
  });
});
