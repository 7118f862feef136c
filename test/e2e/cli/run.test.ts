/** `lockstep run`, with a command as its agent. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

/** The agent writes the file that its task is named after; `slow` waits for a file, `bad` does nothing. */
const AGENTS = `
agents:
  good: {adapter: command, command: [bash, -c, "echo {task_id} > {slug}"]}
  slow: {adapter: command, command: [bash, -c, "touch started; until test -f go; do sleep 0.02; done; echo x > {slug}"]}
  bad: {adapter: command, command: [bash, -c, "echo no idea; exit 3"]}
defaults: {agent: good, retry_delay: 1ms}
workspace: {mode: in_place}
`;

const task = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Task ${id}`,
  verify: `test -s ${id}`,
  ...more,
});
const CHAIN = { plan: "p", tasks: [task("a"), task("b", { depends_on: ["a"] }), task("c", { depends_on: ["b"] })] };

const eventsOf = (stdout: string) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("a plan is carried to its end over a repository, each task landed before the next", async () => {
  const lab = new Lab({ git: true, config: AGENTS });
  await lab.load(CHAIN, "../plan.json");
  const { code, stdout, stderr } = await lab.run(["run"]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("p: done\n100.0 % of 3 tasks: 3 verified\n");
  expect(stderr).toContain("started   a  Task a (attempt 1 by good)\nverified  a\nstarted   b");
  expect(lab.git("log", "--format=%s", "main").split("\n")).toEqual(["Task c", "Task b", "Task a", "begin"]);
  expect(lab.git("status", "--porcelain")).toBe("");
});

test("with --json every event is a line, and the end of the run is the last", async () => {
  const lab = new Lab({ config: AGENTS });
  lab.write("plan.json", JSON.stringify(CHAIN));
  const { code, stdout } = await lab.run(["run", "plan.json", "--json"]);
  expect(code).toBe(0);
  const events = eventsOf(stdout);
  expect(events[0]).toMatchObject({ type: "run.started", plan: "p" });
  expect(events.at(-1)).toMatchObject({
    type: "run.ended",
    plan: "p",
    data: { outcome: "done", counts: { verified: 3, failed: 0 } },
  });
  expect(events.filter(({ type }) => type === "task.verified").map((event) => event.task)).toEqual(["a", "b", "c"]);
});

test("a failing task fails the run, says why, and what waits behind it", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load({
    plan: "p",
    tasks: [task("a", { agent: "bad", tries: 2 }), task("b", { depends_on: ["a"] }), task("c")],
  });
  const { code, stdout, stderr } = await lab.run(["run"]);
  expect(code).toBe(5);
  expect(stderr).toContain("failed    a#1  it ended with 3: no idea");
  expect(stdout).toContain("p: some tasks failed\n33.3 % of 3 tasks: 1 pending, 1 verified, 1 failed\n");
  expect(stdout).toContain("✗ failed  a  Task a: it ended with 3: no idea\n  lockstep task show a\n");
  expect(stdout).toContain(
    "waits  1 dependency_failed: depends on a task that ended without being verified (b for a, failed)\n",
  );
  expect(stdout).toContain("next: look at what failed, `lockstep task retry TASK`, then `lockstep run p`\n");
});

test("--max-tasks stops after so many attempts, and the next run carries on", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load(CHAIN);
  expect((await lab.run(["run", "--max-tasks", "1"])).code).toBe(0);
  expect(await lab.json(["status"])).toMatchObject({ counts: { verified: 1, pending: 2 }, run: null });
  expect((await lab.run(["run"])).code).toBe(0);
  expect(await lab.json(["status"])).toMatchObject({ completion_pct: 100 });
});

test("--no-wait ends parked where a task is due later", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load({ plan: "p", tasks: [task("a", { agent: "bad", retry_delay: "1h" })] });
  const { code, stdout } = await lab.run(["run", "--no-wait"]);
  expect(code).toBe(75);
  expect(stdout).toContain("p: parked: it goes on at a later time");
});

test("a place that only a person can tidy ends the run with 3", async () => {
  const lab = new Lab({ git: true, config: AGENTS });
  await lab.load(CHAIN, "../plan.json");
  lab.write("README", "half done\n");
  const { code } = await lab.run(["run"]);
  expect(code).toBe(3);
});

test("a dry run says what would start and why the rest waits, and changes nothing", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load(CHAIN);
  const before = (await lab.run(["events", "--json"])).stdout;
  expect(await lab.json(["run", "--dry-run"])).toMatchObject({
    plan: "p",
    starts: [{ id: "a", title: "Task a", agent: "good" }],
    workspace: null,
    waiting: [{ code: "dependency_pending", count: 2, tasks: ["b", "c"] }],
  });
  expect((await lab.run(["events", "--json"])).stdout).toBe(before);
});

test("a dry run of several at once names each that would start, and what then holds the rest", async () => {
  const lab = new Lab({ config: AGENTS.replace("in_place", "none") });
  const owned = { files_owned: ["src/**"] };
  await lab.load({ plan: "p", tasks: [task("a", owned), task("b"), task("c", owned), task("d"), task("e")] });
  expect(await lab.json(["run", "--dry-run", "--jobs", "3"])).toMatchObject({
    starts: [{ id: "a" }, { id: "b" }, { id: "d" }],
    waiting: [{ code: "concurrency", count: 2, tasks: ["c", "e"] }],
  });
  expect(await lab.json(["run", "--dry-run", "--jobs", "9"])).toMatchObject({
    starts: [{ id: "a" }, { id: "b" }, { id: "d" }, { id: "e" }],
    waiting: [{ code: "concurrency", count: 1, tasks: ["c"] }],
  });
});

test("a place that cannot be prepared ends the run with 3, and its end says why", async () => {
  const config = AGENTS.replace("{mode: in_place}", '{mode: worktree, setup: ["echo no network; exit 9"]}');
  const lab = new Lab({ git: true, config });
  await lab.load({ plan: "p", tasks: [task("a")] });
  const { code, stdout } = await lab.run(["run"]);
  expect(code).toBe(3);
  expect(stdout).toContain("needs you");
  expect(stdout).toContain("ended with exit code 9");
});

test("a failed task is named by those that wait for it, and they by those behind them", async () => {
  const lab = new Lab({ config: AGENTS });
  const bad = task("a", { agent: "bad", tries: 1 });
  await lab.load({ plan: "p", tasks: [bad, task("b", { depends_on: ["a"] }), task("c", { depends_on: ["b"] })] });
  const { code, stdout } = await lab.run(["run"]);
  expect(code).toBe(5);
  expect(stdout).toContain("(b for a, failed)");
  expect(stdout).toContain("(c for b)");
});

test("no run starts whose work nobody could do", async () => {
  const lab = new Lab();
  await lab.load(CHAIN);
  expect((await lab.json<Refusal>(["run"], 2)).error.message).toBe("no agent does the work of tasks that name none");
  expect((await lab.json<Refusal>(["run", "--agent", "ghost"], 2)).error.message).toBe("agent ghost is not configured");
  for (const id of ["a", "b", "c"]) lab.write(id, "here already\n");
  expect((await lab.run(["run", "--agent", "none"])).code).toBe(0);
});

async function whileRunning(lab: Lab, args: string[] = []) {
  await lab.load({ plan: "p", tasks: [task("a", { agent: "slow" }), task("b", { depends_on: ["a"] })] });
  const run = lab.start(["run", ...args]);
  const said = { stderr: "" };
  run.stderr.on("data", (chunk) => {
    said.stderr += String(chunk);
  });
  const says = async (text: string) => {
    while (!said.stderr.includes(text)) await once(run.stderr, "data");
  };
  await says("started   a");
  return { run, said, says, ended: once(run, "close") as Promise<[number]> };
}

test("while a run goes on, status says what is under way", async () => {
  const lab = new Lab({ config: AGENTS });
  const { ended } = await whileRunning(lab);
  expect(await lab.json(["status"])).toMatchObject({ run: { state: "running" }, active: [{ id: "a", agent: "slow" }] });
  lab.write("go", "");
  expect((await ended)[0]).toBe(0);
});

test("the first signal ends after the task under way and says what it waits for", async () => {
  const lab = new Lab({ config: AGENTS });
  const { run, says, ended } = await whileRunning(lab);
  run.kill("SIGINT");
  await says("stopping when a has ended; once more to end it now");
  lab.write("go", "");
  expect((await ended)[0]).toBe(130);
  expect(await lab.json(["status"])).toMatchObject({ counts: { verified: 1, pending: 1 }, run: null });
});

test("the second signal ends at once, costs no try, and the next run carries on", async () => {
  const lab = new Lab({ config: AGENTS });
  const { run, says, ended } = await whileRunning(lab);
  run.kill("SIGTERM");
  await says("stopping when a has ended");
  run.kill("SIGTERM");
  expect((await ended)[0]).toBe(143);
  expect((await lab.json<{ attempts: unknown[] }>(["task", "show", "a"])).attempts).toMatchObject([
    { outcome: "interrupted" },
  ]);
  lab.write("go", "");
  expect((await lab.run(["run"])).code).toBe(0);
});

test("after a kill -9 the agent works on, and the next run settles what it did", async () => {
  const lab = new Lab({ config: AGENTS });
  const { run, ended } = await whileRunning(lab);
  run.kill("SIGKILL");
  await ended;
  lab.write("go", "");
  expect((await lab.run(["run"])).code).toBe(0);
  const { attempts } = await lab.json<{ attempts: unknown[] }>(["task", "show", "a"]);
  expect(attempts).toMatchObject([{ outcome: "succeeded" }]);
  expect(attempts).toHaveLength(1);
});

test("an agent sees neither secrets nor lockstep's own variables, and is marked", async () => {
  const lab = new Lab({
    config: 'agents: {env: {adapter: command, command: [bash, -c, "env > a"]}}\ndefaults: {agent: env}\n',
  });
  await lab.load({ plan: "p", tasks: [task("a")] });
  const env = { API_KEY: "k", GITHUB_TOKEN: "t", DB_PASSWORD: "p", LOCKSTEP_DEBUG: "0", COLOUR: "blue" };
  expect((await lab.run(["run"], { env })).code).toBe(0);
  const seen = readFileSync(join(lab.dir, "a"), "utf8");
  expect(seen).not.toContain("COLOUR");
  expect(seen).toMatch(/^LANG=C\.UTF-8$/m);
  expect(seen).toMatch(/^LOCKSTEP_ATTEMPT=.+/m);
  expect(seen).not.toMatch(/API_KEY|GITHUB_TOKEN|DB_PASSWORD|LOCKSTEP_DEBUG/);
});
