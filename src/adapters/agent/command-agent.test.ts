import { expect, test } from "vitest";
import { Attempt } from "../../../test/fixtures/agent-attempt.ts";
import { agentFor } from "./agent-for.ts";

const bash = (attempt: Attempt, script: string) =>
  agentFor({ adapter: "command", argv: ["bash", "-c", script] }, attempt.processes);
const NOTHING = { usage: null, cost_usd: null };

test("a plain program succeeds with exit 0, and its last words are its summary", async () => {
  const attempt = new Attempt();
  const end = await attempt.run(bash(attempt, 'cat; echo "{not an event}"; echo done'));
  expect(end).toEqual({ outcome: "succeeded", error: null, summary: "do it\n{not an event}\ndone", ...NOTHING });
  expect(attempt.events).toEqual([]);
  expect(attempt.started).toBe(1);
});

test("events are heard while the program still works", async () => {
  const attempt = new Attempt();
  const script = `echo '{"type":"session","session":"s-1","model":"m"}'
    echo '{"type":"progress","text":"half"}'
    until test -f heard; do sleep 0.01; done
    echo '{"type":"usage","input":5,"output":2,"cost_usd":0.25}'
    echo '{"type":"result","summary":"did it"}'`;
  const end = await attempt.run(bash(attempt, script), {
    tell: ({ type }) => {
      if (type === "progress") attempt.write("workspace/heard", "");
    },
  });
  const usage = { input: 5, output: 2, cache_read: 0, cache_write: 0 };
  expect(end).toEqual({ outcome: "succeeded", error: null, summary: "did it", usage, cost_usd: 0.25 });
  expect(attempt.events).toEqual([
    { type: "session", session: "s-1", model: "m" },
    { type: "progress", text: "half" },
    { type: "usage", usage, cost_usd: 0.25 },
  ]);
});

test.each([
  [
    "a program that sent events and no result",
    `echo '{"type":"note","text":"x"}'`,
    "failed",
    "it ended without a result",
  ],
  ["a result that says so, at exit 0", `echo '{"type":"result","error":"no model"}'`, "failed", "no model"],
  [
    "a result that says so, at exit 7",
    `echo '{"type":"result","outcome":"failed"}'; exit 7`,
    "failed",
    "it said that it failed",
  ],
  [
    "a result that asks, at exit 7",
    `echo '{"type":"result","outcome":"blocked","error":"which?"}'; exit 7`,
    "blocked",
    "which?",
  ],
  ["a success at exit 7", `echo '{"type":"result"}'; exit 7`, "failed", 'it ended with 7: {"type":"result"}'],
  ["a program that ended itself by a signal", "kill -9 $$", "failed", "it ended with 137"],
])("%s", async (_, script, outcome, error) => {
  const attempt = new Attempt();
  expect(await attempt.run(bash(attempt, script))).toEqual({ outcome, error, summary: null, ...NOTHING });
});

test("the last result counts, and what was told is kept when the program is cut", async () => {
  const attempt = new Attempt();
  const twice = `echo '{"type":"result","error":"not yet"}'; printf '{"type":"result","summary":"now"}'`;
  expect(await attempt.run(bash(attempt, twice))).toMatchObject({ outcome: "succeeded", summary: "now" });
  const hangs = new Attempt();
  const script = `echo '{"type":"usage","output":9}'; echo '{"type":"result"}'; sleep 60`;
  expect(await hangs.run(bash(hangs, script), { timeoutMs: 500 })).toMatchObject({
    outcome: "timed_out",
    error: 'no end within 0.5 s: {"type":"usage","output":9}\n{"type":"result"}',
    usage: { output: 9 },
  });
});

test("an operator's stop is an interrupt, whatever it said before", async () => {
  const attempt = new Attempt();
  const stop = new AbortController();
  const script = `echo '{"type":"progress","text":"x"}'; echo '{"type":"result"}'; sleep 60`;
  const end = await attempt.run(bash(attempt, script), { signal: stop.signal, tell: () => stop.abort() });
  expect(end).toEqual({ outcome: "interrupted", error: "stopped by its operator", summary: null, ...NOTHING });
});

test("a result behind more output than is kept is heard", async () => {
  const attempt = new Attempt();
  const source = `const block = Buffer.alloc(1 << 20, "blah blah blah\\n");
    for (let i = 0; i < 20; i += 1) require("fs").writeSync(1, block);
    require("fs").writeSync(1, '\\n{"type":"result","summary":"did it"}\\n');`;
  const argv = [process.execPath, "-e", source];
  const end = await attempt.run(agentFor({ adapter: "command", argv }, attempt.processes));
  expect(end).toMatchObject({ outcome: "succeeded", summary: "did it" });
  expect(attempt.log).toContain("bytes cut here");
});

test("a mistake in its lines is told once, and costs nothing", async () => {
  const attempt = new Attempt();
  const end = await attempt.run(bash(attempt, `for i in 1 2 3; do echo '{"type":"note"}'; done`));
  expect(end.outcome).toBe("succeeded");
  const text = 'a line is no event: a note line needs a "text" that is a string';
  expect(attempt.events).toEqual([{ type: "note", text }]);
});

test("a program that is not there is named", async () => {
  const attempt = new Attempt();
  const end = await attempt.run(agentFor({ adapter: "command", argv: ["no-such-program"] }, attempt.processes));
  const error =
    'it could not be started: no program "no-such-program": give its path, or put its directory on the PATH';
  expect(end).toEqual({ outcome: "failed", error, summary: null, ...NOTHING });
  expect(attempt.started).toBe(0);
});
