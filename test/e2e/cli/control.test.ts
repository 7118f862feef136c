/** A run that goes on in one process, steered and awaited from others. */

import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import type { Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

/** The agent waits for a file named after its task. */
const AGENTS = `
agents:
  slow: {adapter: command, command: [bash, -c, "echo at {task_id}; until test -f go-{slug}; do sleep 0.02; done; echo x > {slug}; echo bye"]}
  bad: {adapter: command, command: [bash, -c, "exit 3"]}
defaults: {agent: slow, retry_delay: 1ms}
`;

const task = (id: string, more: Record<string, unknown> = {}) => ({ id, title: id, verify: `test -s ${id}`, ...more });
const CHAIN = { plan: "p", tasks: [task("a"), task("b", { depends_on: ["a"] })] };

interface WireEvent {
  type: string;
  task?: string;
  data: Record<string, unknown>;
}

/** A lab whose run has begun, with every event of it as it comes. */
async function running(plan: unknown = CHAIN) {
  const lab = new Lab({ config: AGENTS });
  await lab.load(plan);
  const follower = lab.start(["events", "-f", "--json"]);
  const told: WireEvent[] = [];
  const lines = createInterface({ input: follower.stdout });
  lines.on("line", (line) => told.push(JSON.parse(line)));
  const run = lab.start(["run"]);
  const ended = once(run, "close") as Promise<[number | null]>;
  onTestFinished(() => {
    run.kill("SIGKILL");
    follower.kill("SIGKILL");
  });
  /** Resolves when such an event has been told, once or before. */
  const event = async (type: string, data: Record<string, unknown> = {}, about?: string): Promise<void> => {
    const isIt = (each: WireEvent): boolean =>
      each.type === type &&
      (about === undefined || each.task === about) &&
      Object.entries(data).every(([name, value]) => each.data[name] === value);
    while (!told.some(isIt)) await once(lines, "line");
  };
  await event("attempt.started");
  return { lab, run, ended, event, told };
}

test("a run is paused from another terminal: what is under way is handed back, and goes on when it is resumed", async () => {
  const { lab, ended, event, told } = await running();
  const paused = await lab.run(["pause"]);
  expect(paused).toEqual({ code: 0, stdout: "p: run pausing\n", stderr: "it waits until a has ended\n" });
  await event("attempt.settled", { outcome: "interrupted", error: "paused by its operator" }, "a");
  await event("run.moved", { state: "paused" });
  expect(await lab.json(["status"])).toMatchObject({ run: { state: "paused" }, counts: { pending: 2 } });
  const { error } = await lab.json<Refusal>(["pause"], 1);
  expect(error).toMatchObject({ code: "run_state", message: "the run cannot be paused: it is paused" });
  expect(told.filter(({ type }) => type === "attempt.created")).toHaveLength(1);
  const resumed = await lab.json<{ run: { id: string; state: string } }>(["resume", "p"]);
  expect(resumed).toEqual({ plan: "p", run: { id: expect.any(String), state: "running" } });
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect((await ended)[0]).toBe(0);
  expect(await lab.json(["status"])).toMatchObject({ counts: { verified: 2 } });
  const { attempts } = await lab.json<{ attempts: object[] }>(["task", "show", "a"]);
  expect(attempts).toMatchObject([{ outcome: "interrupted" }, { outcome: "succeeded" }]);
});

test("a run is stopped from another terminal: what is under way is handed back, and nothing more starts", async () => {
  const { lab, ended, told } = await running();
  const stopped = await lab.run(["stop", "--reason", "enough"]);
  expect(stopped).toEqual({ code: 0, stdout: "p: run stopping\n", stderr: "it waits until a has ended\n" });
  expect((await ended)[0]).toBe(0);
  expect(told.filter(({ type }) => type === "attempt.created")).toHaveLength(1);
  expect(await lab.json(["wait"])).toMatchObject({ run: { state: "ended", outcome: "stopped" } });
  const { attempts, state } = await lab.json<{ attempts: object[]; state: string }>(["task", "show", "a"]);
  expect({ attempts, state }).toMatchObject({
    attempts: [{ outcome: "interrupted", error: "enough" }],
    state: "pending",
  });
});

test("without a live run there is nothing to steer", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load(CHAIN);
  for (const verb of ["pause", "resume", "stop"]) {
    const { error } = await lab.json<Refusal>([verb], 1);
    expect(error).toMatchObject({ code: "no_run", message: "plan p has no live run" });
  }
  const { error } = await lab.json<Refusal>(["wait"], 1);
  expect(error).toEqual({ code: "no_run", message: "plan p has had no run", hint: "`lockstep run p` starts one." });
});

test("a run whose engine is gone ends at once when it is stopped, and says that nobody carries it when it is resumed", async () => {
  const { lab, run, ended } = await running();
  run.kill("SIGKILL");
  await ended;
  const resumed = await lab.run(["resume"]);
  expect(resumed).toEqual({
    code: 0,
    stdout: "p: run running\n",
    stderr: "no engine carries it: `lockstep run p` does\n",
  });
  expect(await lab.json(["stop"])).toMatchObject({ run: { state: "ended" } });
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect((await lab.run(["run"])).code).toBe(0);
});

test("the output of an attempt is followed while it works, until it has ended", async () => {
  const { lab, ended } = await running({ plan: "p", tasks: [task("a"), task("b")] });
  const logs = lab.start(["logs", "a", "-f"]);
  const closed = once(logs, "close");
  const said: string[] = [];
  logs.stdout.setEncoding("utf8").on("data", (text: string) => said.push(text));
  while (said.join("") !== "at a\n") await once(logs.stdout, "data");
  expect(logs.exitCode).toBeNull();
  lab.write("go-a", "");
  expect((await closed)[0]).toBe(0);
  expect(said.join("")).toBe("at a\nbye\n");
  lab.write("go-b", "");
  await ended;
  expect(await lab.run(["logs", "b#1"])).toMatchObject({ code: 0, stdout: "at b\nbye\n" });
  expect(await lab.json(["logs", "b"])).toEqual({ task: "b", attempt: 1, text: "at b\nbye\n" });
  expect((await lab.json<Refusal>(["logs", "b#2"], 2)).error.message).toBe("b has no attempt 2");
});

test("of an attempt outside lockstep there is no output, and it is said why", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load(CHAIN);
  await lab.json(["claim", "a"]);
  const { error } = await lab.json<Refusal>(["logs", "a"], 1);
  expect(error).toEqual({
    code: "no_output",
    message: "no output of attempt 1 of a is kept on this machine",
    hint: "A worker outside lockstep did it: its output is its own.",
  });
});

test("waiting ends with the run, with its outcome as the exit code, and not before", async () => {
  const { lab, ended } = await running({ plan: "p", tasks: [task("a"), task("b", { agent: "bad", tries: 1 })] });
  const early = await lab.json<Refusal>(["wait", "--timeout", "50ms"], 124);
  expect(early.error).toMatchObject({ code: "timed_out", message: "the run of p has not ended within 50ms" });
  const waiting = lab.run(["wait"]);
  lab.write("go-a", "");
  expect((await ended)[0]).toBe(5);
  expect(await waiting).toMatchObject({ code: 5, stdout: "p: run failed\n" });
  expect((await lab.run(["wait", "p"])).code).toBe(5);
});
