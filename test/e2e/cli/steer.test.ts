/** What is alive is steered from other terminals, and ended though no engine is there. */

import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bearersOf } from "../../fixtures/left-processes.ts";
import { Lab, MAIN, type Refusal } from "./lab.ts";

/** The agent waits for a file named after its task, and tells what it was given. */
const AGENTS = `
agents:
  slow: {adapter: command, command: [bash, -c, "cat > given-{slug}; touch at-{slug}; until test -f go-{slug}; do sleep 0.02; done; echo x > {slug}"]}
defaults: {agent: slow, retry_delay: 1ms, tries: 2}
workspace: {mode: in_place}
`;

const task = (id: string) => ({ id, title: id, verify: `test -s ${id}` });
const PLAN = { plan: "p", tasks: [task("a")] };

const at = (lab: Lab, file: string): Promise<void> =>
  expect.poll(() => existsSync(join(lab.dir, file)), { timeout: 20_000 }).toBe(true);

/** A lab whose run has an agent at work. */
async function running(lab = new Lab({ config: AGENTS }), plan: { plan: string } = PLAN) {
  await lab.load(plan, `${plan.plan}.json`);
  const run = lab.start(["run", plan.plan]);
  const ended = once(run, "close") as Promise<[number | null]>;
  onTestFinished(() => void run.kill("SIGKILL"));
  await at(lab, "at-a");
  return { lab, run, ended };
}

const attempts = async (lab: Lab): Promise<unknown> => (await lab.json(["task", "show", "a"]))["attempts"];
const agents = (lab: Lab): string[] => bearersOf(`HOME=${lab.env["HOME"]}`).filter((line) => line.includes("test -f"));

describe("from another terminal", () => {
  test("an agent is interrupted with a message, given more time, and its task requeued and killed", async () => {
    const { lab, ended } = await running();
    expect(await lab.run(["interrupt", "a", "-m", "use tabs"])).toEqual({
      code: 0,
      stdout: "a  ▶ in_progress\n",
      stderr: "",
    });
    await expect.poll(() => readFileSync(join(lab.dir, "given-a"), "utf8"), { timeout: 20_000 }).toContain("use tabs");
    expect(await lab.json(["extend", "a", "--by", "30m"])).toEqual({
      task: "a",
      state: "in_progress",
      stopping: false,
    });
    const requeued = await lab.run(["requeue", "a", "--reason", "a better idea"]);
    expect(requeued.stdout).toMatch(/^a {2}▶ in_progress, stopping: then pending\n$/);
    await expect
      .poll(() => attempts(lab), { timeout: 20_000 })
      .toMatchObject([{ outcome: "interrupted" }, { outcome: null }]);
    expect((await lab.run(["kill", "a", "--at-once"])).code).toBe(0);
    await expect
      .poll(() => attempts(lab), { timeout: 20_000 })
      .toMatchObject([{ outcome: "interrupted" }, { outcome: "cancelled", error: "killed by an operator" }, {}]);
    writeFileSync(join(lab.dir, "go-a"), "");
    expect((await ended)[0]).toBe(0);
    expect(await lab.json(["task", "show", "a"])).toMatchObject({ state: "verified" });
  });

  test("what is not live is not steered, and a time is asked for", async () => {
    const lab = new Lab({ config: AGENTS });
    await lab.load(PLAN);
    for (const verb of ["interrupt", "extend", "requeue", "kill"]) {
      const { error } = await lab.json<Refusal>([verb, "a", ...(verb === "extend" ? ["--by", "1m"] : [])], 1);
      expect(error).toMatchObject({ code: "illegal_move", message: expect.stringContaining("it is pending") });
    }
    expect((await lab.json<Refusal>(["extend", "a"], 2)).error.message).toBe("extend needs --by DURATION");
    expect(await lab.run(["panic"])).toEqual({ code: 0, stdout: "no run is live: nothing was stopped\n", stderr: "" });
  });
});

describe("though no engine is there", () => {
  test.each([
    ["requeue", "interrupted"],
    ["kill", "cancelled"],
  ])("field report 21: %s ends an agent whose engine was killed, and settles its attempt", async (verb, outcome) => {
    const { lab, run, ended } = await running();
    run.kill("SIGKILL");
    await ended;
    expect(agents(lab)).not.toEqual([]);
    expect(await lab.json([verb, "a"])).toEqual({ task: "a", state: "pending", stopping: false });
    expect(agents(lab)).toEqual([]);
    expect(await attempts(lab)).toMatchObject([{ outcome }]);
  });

  test("an agent whose engine was killed is interrupted, and goes on", async () => {
    const { lab, run, ended } = await running();
    run.kill("SIGKILL");
    await ended;
    expect((await lab.run(["interrupt", "a", "-m", "use tabs"])).code).toBe(0);
    await expect.poll(() => readFileSync(join(lab.dir, "given-a"), "utf8"), { timeout: 20_000 }).toContain("use tabs");
    writeFileSync(join(lab.dir, "go-a"), "");
    expect((await lab.run(["run"])).code).toBe(0);
    expect(await attempts(lab)).toMatchObject([{ outcome: "succeeded" }]);
  });

  test("a panic kills what is alive in every project of the store, and a run of it begins only when it is resumed", async () => {
    const first = await running();
    first.run.kill("SIGKILL");
    await first.ended;
    const other = new Lab({ config: AGENTS });
    Object.assign(other.env, { XDG_STATE_HOME: first.lab.env["XDG_STATE_HOME"] });
    const second = await running(other, { ...PLAN, plan: "q" });
    const panicked = await other.run(["panic", "--reason", "smoke"]);
    expect(panicked).toEqual({
      code: 0,
      stdout:
        "p: paused; `lockstep resume p` lets it go on\nq: paused; `lockstep resume q` lets it go on\nkilled: 2 attempts\n",
      stderr: "",
    });
    expect([...agents(first.lab), ...agents(other)]).toEqual([]);
    expect(await attempts(first.lab)).toMatchObject([{ outcome: "cancelled", error: "panic: smoke" }]);
    expect(await first.lab.json<Refusal>(["run"], 1)).toEqual({
      error: {
        code: "run_state",
        message: "plan p was stopped by a panic: smoke",
        hint: "`lockstep resume` first, when it may go on.",
      },
    });
    for (const lab of [first.lab, other]) writeFileSync(join(lab.dir, "go-a"), "");
    expect((await other.run(["resume"])).code).toBe(0);
    expect((await second.ended)[0]).toBe(0);
    expect((await first.lab.run(["resume"])).code).toBe(0);
    expect((await first.lab.run(["run"])).code).toBe(0);
  });
});

test("a panic kills agents though their engine was stopped, and says who does not settle them", async () => {
  const { lab, run } = await running();
  run.kill("SIGSTOP");
  const panicked = await lab.run(["panic"]);
  expect(panicked).toMatchObject({
    code: 1,
    stdout: "p: paused; `lockstep resume p` lets it go on\nkilled: 1 attempt\n",
    stderr: "killed, but not settled, since their engine does not answer: p/a#1\n",
  });
  expect(agents(lab)).toEqual([]);
  run.kill("SIGCONT");
  await expect.poll(() => attempts(lab), { timeout: 20_000 }).toMatchObject([{ outcome: "cancelled" }]);
  expect((await lab.run(["stop"])).code).toBe(0);
});

test("a check whose engine was killed is ended by whoever stops its run, or takes its task back", async () => {
  const config = AGENTS.replace(
    "defaults:",
    "defaults: {agent: slow, verify: 'touch checks; sleep 700'}\nignored:",
  ).replace(/ignored: .*\n/, "");
  for (const verb of [["stop"], ["task", "skip", "a"]]) {
    const lab = new Lab({ config });
    await lab.load({ plan: "p", tasks: [{ id: "a", title: "a" }] });
    writeFileSync(join(lab.dir, "go-a"), "");
    const run = lab.start(["run"]);
    onTestFinished(() => void run.kill("SIGKILL"));
    await at(lab, "checks");
    run.kill("SIGKILL");
    await once(run, "close");
    const checks = (): string[] => bearersOf(`HOME=${lab.env["HOME"]}`).filter((line) => line.includes("sleep 700"));
    expect(checks()).not.toEqual([]);
    expect((await lab.run(verb)).code).toBe(0);
    expect(checks()).toEqual([]);
  }
});

test("OL: a run that is to stay waits for what is loaded later, and says once that nothing is left", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load(PLAN);
  writeFileSync(join(lab.dir, "go-a"), "");
  writeFileSync(join(lab.dir, "go-b"), "");
  const run = lab.start(["run", "--stay"]);
  const ended = once(run, "close");
  onTestFinished(() => void run.kill("SIGKILL"));
  let said = "";
  run.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await expect.poll(() => said, { timeout: 20_000 }).toContain("nothing is left to do");
  await lab.load({ ...PLAN, tasks: [task("a"), task("b")] });
  await expect.poll(async () => (await lab.json(["task", "show", "b"]))["state"], { timeout: 20_000 }).toBe("verified");
  expect((await lab.run(["stop"])).code).toBe(0);
  expect((await ended)[0]).toBe(0);
  expect(said.match(/nothing is left to do/g)!.length).toBeLessThanOrEqual(2);
});

test("a run whose reader has gone goes on to its end", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load({ ...PLAN, tasks: [task("a"), task("b")] });
  const run = lab.start(["run"]);
  const ended = once(run, "exit");
  onTestFinished(() => void run.kill("SIGKILL"));
  run.stderr.destroy();
  run.stdout.destroy();
  for (const id of ["a", "b"]) writeFileSync(join(lab.dir, `go-${id}`), "");
  expect(await ended).toEqual([0, null]);
  expect(await lab.json(["status"])).toMatchObject({ counts: { verified: 2 }, run: null });
});

test("an agent that clears its environment may steer its plan no more than any other", async () => {
  const steers = `env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" node ${MAIN} panic > said 2>&1; echo $? >> said`;
  const lab = new Lab({ config: AGENTS.replace(/command: \[.*\]/, `command: [bash, -c, ${JSON.stringify(steers)}]`) });
  await lab.load({ plan: "p", tasks: [{ id: "a", title: "a", verify: "test -s said" }] });
  expect((await lab.run(["run"])).code).toBe(0);
  expect(readFileSync(join(lab.dir, "said"), "utf8")).toBe(
    "error: this process belongs to an attempt, and an agent may not steer its own plan\nhint: Do the task; its checks decide. Operators use a shell of their own.\n1\n",
  );
});
