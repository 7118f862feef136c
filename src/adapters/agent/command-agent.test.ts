import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { Attempt } from "../../../test/fixtures/agent-attempt.ts";
import { localProcesses } from "../processes/local-processes.ts";
import { agentFor } from "./agent-for.ts";
import { commandAgent } from "./command-agent.ts";

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
    'it ended without a result: a command that sends events ends with a line {"type":"result"}',
    "crashed",
  ],
  ["a result that says so, at exit 0", `echo '{"type":"result","error":"no model"}'`, "failed", "no model", "gave_up"],
  [
    "a result that says so, at exit 7",
    `echo '{"type":"result","outcome":"failed"}'; exit 7`,
    "failed",
    "it said that it failed",
    "gave_up",
  ],
  [
    "a result that asks, at exit 7",
    `echo '{"type":"result","outcome":"blocked","error":"which?"}'; exit 7`,
    "blocked",
    "which?",
    null,
  ],
  [
    "a success at exit 7",
    `echo '{"type":"result"}'; exit 7`,
    "failed",
    'it ended with 7: {"type":"result"}',
    "crashed",
  ],
  ["a program that ended itself by a signal", "kill -9 $$", "failed", "it ended with 137", "crashed"],
])("%s", async (_, script, outcome, error, failure) => {
  const attempt = new Attempt();
  expect(await attempt.run(bash(attempt, script))).toEqual({
    outcome,
    ...(failure === null ? {} : { failure }),
    error,
    summary: null,
    ...NOTHING,
  });
});

test("the last result counts, and what was told is kept when the program is cut", async () => {
  const attempt = new Attempt();
  const twice = `echo '{"type":"result","error":"not yet"}'; printf '{"type":"result","summary":"now"}'`;
  expect(await attempt.run(bash(attempt, twice))).toMatchObject({ outcome: "succeeded", summary: "now" });
  const hangs = new Attempt();
  const script = `echo '{"type":"usage","output":9}'; sleep 60`;
  expect(await hangs.run(bash(hangs, script), { timeoutMs: 500 })).toMatchObject({
    outcome: "interrupted",
    error: '{"type":"usage","output":9}',
    usage: { output: 9 },
  });
});

const ASKED = `echo '{"type":"result","error":"which?","outcome":"blocked"}'`;

test.each([
  [
    "a success",
    `echo '{"type":"result","summary":"did it"}'`,
    { outcome: "succeeded", error: null, summary: "did it" },
  ],
  [
    "a failure",
    `echo '{"type":"result","error":"no model"}'`,
    { outcome: "failed", failure: "gave_up", error: "no model", summary: null },
  ],
  ["a question", ASKED, { outcome: "blocked", error: "which?", summary: null }],
])(
  "field report 11: after %s it has a short grace to exit, then it is ended, deaf as it may be; its word stands",
  async (_, said, end) => {
    for (const trap of ["", "trap '' TERM;"]) {
      const attempt = new Attempt();
      const argv = ["bash", "-c", `${trap} ${said}; sleep 60; touch late`];
      const agent = commandAgent(argv, attempt.processes, { exitGraceMs: 200 });
      const began = performance.now();
      expect(await attempt.run(agent)).toEqual({ ...end, ...NOTHING });
      expect(performance.now() - began).toBeLessThan(15_000);
    }
  },
);

test("what it does within its grace is let be, and a stop that comes after its result changes nothing", async () => {
  const attempt = new Attempt();
  const argv = ["bash", "-c", `echo '{"type":"result","summary":"did it"}'; sleep 0.3; touch late`];
  const agent = commandAgent(argv, attempt.processes, { exitGraceMs: 10_000 });
  expect(await attempt.run(agent)).toMatchObject({ outcome: "succeeded" });
  expect(attempt.read("late")).toBe("");
  const stopped = new Attempt();
  const stop = new AbortController();
  const lines = `echo '{"type":"result","summary":"did it"}'; echo '{"type":"note","text":"x"}'; sleep 60`;
  const end = await stopped.run(bash(stopped, lines), { signal: stop.signal, tell: () => stop.abort() });
  expect(end).toMatchObject({ outcome: "succeeded", summary: "did it" });
});

test("field report 31: a flood is a failure that says so, and its transcript is bounded", async () => {
  const attempt = new Attempt();
  const processes = localProcesses({ outputBytesMax: 12 * 1024 * 1024 });
  const agent = commandAgent(["bash", "-c", "yes 'blah blah blah'"], processes);
  const end = await attempt.run(agent);
  const error = "more than 12582912 bytes of output";
  expect(end).toEqual({ outcome: "failed", failure: "protocol", error, summary: null, ...NOTHING });
  expect(statSync(attempt.logFile).size).toBeLessThan(9 * 1024 * 1024 + 200);
  expect(attempt.log).toContain("[lockstep: killed: more than 12582912 bytes of output]");
});

test("field report 31: a result too long to be read does not pass for a program that sends none", async () => {
  const attempt = new Attempt();
  const source = `process.stdout.write('{"type":"result","error":"' + "x".repeat(1 << 21) + '"}\\n')`;
  const end = await attempt.run(
    agentFor({ adapter: "command", argv: [process.execPath, "-e", source] }, attempt.processes),
  );
  expect(end).toMatchObject({
    outcome: "failed",
    error: 'it ended without a result: a command that sends events ends with a line {"type":"result"}',
  });
});

test("an operator's stop is an interrupt, whatever it says then", async () => {
  const attempt = new Attempt();
  const stop = new AbortController();
  const script = `echo '{"type":"progress","text":"x"}'; echo '{"type":"result"}'; sleep 60`;
  const end = await attempt.run(bash(attempt, script), { signal: stop.signal, tell: () => stop.abort() });
  // How much of it was printed when the stop came is a matter of microseconds.
  const error = expect.stringContaining('{"type":"progress","text":"x"}');
  expect(end).toEqual({ outcome: "interrupted", error, summary: null, killed: false, ...NOTHING });
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
  expect(end).toEqual({ outcome: "failed", failure: "crashed", error, summary: null, ...NOTHING });
  expect(attempt.started).toBe(0);
});

test("one that does not end when it is asked to is killed, and so is one that is to end at once", async () => {
  const deaf = 'trap \'\' TERM; echo \'{"type":"progress","text":"x"}\'; while :; do sleep 0.1; done';
  const attempt = new Attempt();
  const stop = new AbortController();
  const end = await attempt.run(bash(attempt, deaf), { signal: stop.signal, tell: () => stop.abort() });
  expect(end).toMatchObject({ outcome: "interrupted", killed: true });
  const other = new Attempt();
  const [soft, hard] = [new AbortController(), new AbortController()];
  const tell = () => {
    hard.abort();
    soft.abort();
  };
  const willing = 'echo \'{"type":"progress","text":"x"}\'; sleep 60';
  const at_once = await other.run(bash(other, willing), { signal: soft.signal, kill: hard.signal, tell });
  expect(at_once).toMatchObject({ outcome: "interrupted", killed: true });
});

test("a turn that goes on after an interrupt is told the task and the message, and adds to the transcript", async () => {
  const attempt = new Attempt();
  await attempt.run(bash(attempt, "cat"), { prompt: "do it\n" });
  const turn = { message: "Use tabs.", session: null };
  const end = await attempt.run(bash(attempt, 'cat; echo \'{"type":"result"}\''), { prompt: "do it\n", turn });
  expect(end.outcome).toBe("succeeded");
  expect(attempt.log).toBe(
    'do it\ndo it\n\nYou had begun on this when you were interrupted. Use tabs.\n{"type":"result"}\n',
  );
  expect(attempt.started).toBe(2);
});
