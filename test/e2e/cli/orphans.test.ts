/** What a person is told in the morning of a run whose engine was killed in the night, and of its agents. */

import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Lab } from "./lab.ts";

interface Why {
  reason: { code: string; text: string };
  reasons: { code: string }[];
}

interface Problem {
  code: string;
  message: string;
  fix: string;
}

/** Runs a plan of one task whose agent works for as long as the file `work` is there, and kills the engine. */
async function killedEngine(): Promise<{ lab: Lab; engine: number; runner: number }> {
  const lab = new Lab();
  const work = join(lab.base, "work");
  const script = `touch "$WORK.begun"; while test -e "$WORK"; do sleep 0.1; done`;
  const coder = { adapter: "command", command: ["bash", "-c", script], env: { WORK: work } };
  const config = { agents: { coder }, defaults: { agent: "coder" }, workspace: { mode: "none" } };
  lab.write("lockstep.yaml", JSON.stringify(config));
  writeFileSync(work, "");
  await lab.load({ plan: "p", tasks: ["A", "B"].map((id) => ({ id, title: id, verify: "test -d ." })) });
  const run = lab.start(["run", "--jobs", "1"]);
  onTestFinished(() => void run.kill("SIGKILL"));
  await expect.poll(() => existsSync(`${work}.begun`), { timeout: 30_000 }).toBe(true);
  const attended = async () => (await lab.json<Why>(["why", "A"])).reason.text;
  const shape = /^attempt 1 is under way by coder, attended by process (\d+), its runner is process (\d+)$/;
  await expect.poll(attended, { timeout: 10_000 }).toMatch(shape);
  const [, engine, runner] = shape.exec(await attended())!;
  expect(Number(engine)).toBe(run.pid);
  run.kill("SIGKILL");
  await once(run, "close");
  return { lab, engine: Number(engine), runner: Number(runner) };
}

const CARRY_ON = "`lockstep run p` carries on, `lockstep stop p` ends it";

async function problemsOf(lab: Lab): Promise<Problem[]> {
  return (await lab.json<{ problems: Problem[] }>(["doctor"], 1)).problems;
}

test("an attempt without its engine says so, that its agent works on, and what to do; the next run says at once that it adopts it", {
  timeout: 60_000,
}, async () => {
  const { lab, engine, runner } = await killedEngine();
  const text = `no engine attends attempt 1: process ${engine} is gone; its agent works on by itself, held by its runner, process ${runner}; ${CARRY_ON}`;
  const why = await lab.json<Why>(["why", "A"]);
  expect(why.reason).toMatchObject({ code: "no_engine", text });
  expect(why.reasons.map(({ code }) => code)).toEqual(["no_engine", "in_progress"]);
  expect((await lab.json<Why>(["why", "B"])).reasons).toContainEqual(
    expect.objectContaining({ code: "no_engine", text: `no engine carries the run of p; ${CARRY_ON}` }),
  );
  const status = (await lab.run(["status"])).stdout;
  expect(status).toMatch(/A {2}A {2}works on without an engine {2}since/);
  expect(status).toContain(`next       ${CARRY_ON}\n`);
  expect(await lab.json(["status"])).toMatchObject({
    engine: null,
    active: [{ id: "A", engine_alive: false, runner_alive: true }],
  });
  expect(await problemsOf(lab)).toEqual([
    {
      code: "run_without_engine",
      message:
        "the run of p is running, and no engine carries it; 1 attempt works on alone, held by a runner that lives",
      fix: `${CARRY_ON}.`,
    },
  ]);
  rmSync(join(lab.base, "work"));
  const next = await lab.run(["run"]);
  expect(next.code).toBe(0);
  expect(next.stderr.split("\n")[0]).toBe(
    "adopts    1 attempt that was under way when an engine ended: what lives goes on, what has ended is settled",
  );
});

test("an attempt without its engine and its runner says that nobody hears its agent; `stop` ends that, and `run` tries again", {
  timeout: 60_000,
}, async () => {
  const { lab, engine, runner } = await killedEngine();
  process.kill(runner, "SIGKILL");
  const text = `no engine attends attempt 1: process ${engine} is gone, and its runner, process ${runner}, is gone too; whatever its agent still does is heard by nobody; \`lockstep run p\` ends what is left of it, keeps its work and tries again, \`lockstep stop p\` only ends it`;
  const reason = async () => (await lab.json<Why>(["why", "A"])).reason.text;
  await expect.poll(reason, { timeout: 10_000 }).toBe(text);
  expect((await lab.run(["status"])).stdout).toMatch(/A {2}A {2}left without engine and runner {2}since/);
  expect(await lab.json(["status"])).toMatchObject({ active: [{ engine_alive: false, runner_alive: false }] });
  expect(await problemsOf(lab)).toMatchObject([
    {
      code: "run_without_engine",
      message: "the run of p is running, and no engine carries it; of 1 attempt the runner is gone too",
    },
  ]);
  expect(await lab.run(["stop", "p"])).toMatchObject({ code: 0 });
  expect(await lab.json(["task", "show", "A"])).toMatchObject({ state: "pending", attempts: [{ outcome: "lost" }] });
  rmSync(join(lab.base, "work"));
  expect(await lab.run(["run"])).toMatchObject({ code: 0 });
});

test("what is wrong in the configuration is counted place by place, and not once more as a whole", async () => {
  const lab = new Lab({ config: "jobs: none\nagents: {a: {adapter: nothing}}\n" });
  const doctor = await lab.run(["doctor"]);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout.split("✗ problem  config: ")).toHaveLength(3);
  expect(doctor.stdout).not.toContain("has 2 problems");
  expect(doctor.stdout).toMatch(/\n2 problems\n$/);
});
