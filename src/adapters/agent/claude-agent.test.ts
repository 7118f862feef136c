import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Attempt, type AttemptWish } from "../../../test/fixtures/agent-attempt.ts";
import { assistant, init, rateLimit, result, retry, SESSION, said, used } from "../../../test/fixtures/claude-lines.ts";
import { claudeAgent } from "./claude-agent.ts";

interface Run extends AttemptWish {
  attempt?: Attempt;
  model?: string;
  effort?: string;
  exitGraceMs?: number;
}

/** Runs a program that takes the place of Claude Code: `source` is a module that has `out(object)` and `raw(bytes)`. */
function run(source: string, { attempt = new Attempt(), model, effort, exitGraceMs = 300, ...wish }: Run = {}) {
  const tools = `import { writeSync } from "node:fs";
    const raw = (bytes) => { for (let b = Buffer.from(bytes); b.length > 0; ) b = b.subarray(writeSync(1, b)); };
    const out = (fields) => raw(JSON.stringify(fields) + "\\n");\n`;
  const program = [process.execPath, attempt.write("claude.mjs", tools + source)];
  const spec = { adapter: "claude", program, model: model ?? null, effort: effort ?? null } as const;
  return attempt.run(claudeAgent(spec, attempt.processes, { exitGraceMs }), wish);
}

const out = (...lines: object[]): string => lines.map((line) => `out(${JSON.stringify(line)});`).join("\n");
const SESSION_EVENT = { type: "session", session: SESSION, model: "claude-sonnet-5-5" };
const USED = { usage: { input: 120, output: 450, cache_read: 7_000, cache_write: 30 }, cost_usd: 0.0421 };

test("it gets the prompt on its standard input, flags for a stream, and no mark of an outer session", async () => {
  const attempt = new Attempt();
  const source = `import { readFileSync, writeFileSync } from "node:fs";
    writeFileSync("got.json", JSON.stringify({ argv: process.argv.slice(2), stdin: readFileSync(0, "utf8"), env: process.env }));
    ${out(result())}`;
  const env = { CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", ANTHROPIC_API_KEY: "test", DISABLE_AUTOUPDATER: "0" };
  const end = await run(source, { attempt, model: "sonnet", effort: "low", prompt: "Make it right.\n", env });
  expect(end.outcome).toBe("succeeded");
  const got = JSON.parse(readFileSync(join(attempt.workspace, "got.json"), "utf8"));
  const flags =
    "-p --output-format stream-json --verbose --permission-mode bypassPermissions --model sonnet --effort low";
  expect(got.argv).toEqual(flags.split(" "));
  expect(got.stdin).toBe("Make it right.\n");
  expect(got.env).toMatchObject({ ANTHROPIC_API_KEY: "test", DISABLE_AUTOUPDATER: "0" });
  expect(got.env.IS_SANDBOX).toBe(process.getuid!() === 0 ? "1" : undefined);
  for (const name of ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"]) expect(got.env).not.toHaveProperty(name);
});

test("what it says is heard while it works, whatever stands between the lines and wherever they are cut", async () => {
  const attempt = new Attempt();
  const text = "Grüße an 🙂, fertig.";
  const source = `import { existsSync } from "node:fs";
    raw("Warning: something old\\n\\n");
    ${out(init())}
    const line = Buffer.from(JSON.stringify(${JSON.stringify(assistant([said(text)]))}) + "\\n");
    const half = line.indexOf("🙂") + 2;
    raw(line.subarray(0, half));
    await new Promise((go) => { const t = setInterval(() => existsSync("go") && (clearInterval(t), go()), 5); });
    raw(line.subarray(half));
    raw("{ not json\\n");
    ${out({ type: "new_in_the_next_release" }, assistant([used("Write", { file_path: "a.js" })]))}
    raw(JSON.stringify(${JSON.stringify(result())}));`;
  const end = await run(source, {
    attempt,
    tell: ({ type }) => {
      if (type === "session") attempt.write("workspace/go", "");
    },
  });
  expect(end).toEqual({ outcome: "succeeded", error: null, summary: "Cart totals are right.", ...USED });
  expect(attempt.events).toEqual([
    SESSION_EVENT,
    { type: "text", text },
    { type: "tool", name: "Write", about: "a.js", id: "toolu_1" },
    { type: "usage", ...USED },
  ]);
  expect(attempt.log).toContain("Warning: something old\n");
  expect(attempt.log).toContain("{ not json\n");
});

test("after its result it is given a moment to exit, and is then ended; the result stands", async () => {
  const began = performance.now();
  const end = await run(`${out(init(), result())} setInterval(() => {}, 60_000);`);
  expect(end).toMatchObject({ outcome: "succeeded", summary: "Cart totals are right." });
  expect(performance.now() - began).toBeLessThan(15_000);
  const patient = await run(`${out(result())} setTimeout(() => out({ late: true }), 50);`, { exitGraceMs: 10_000 });
  expect(patient.outcome).toBe("succeeded");
});

test("field report 11: one that hangs after it gave up has failed, and is not taken for one that was stopped", async () => {
  const end = await run(
    `${out(init(), result({ is_error: true, result: "API Error" }))} setInterval(() => {}, 60_000);`,
  );
  expect(end).toMatchObject({ outcome: "failed", error: "it gave up: API Error" });
});

test("a second result changes nothing", async () => {
  const end = await run(out(result(), result({ subtype: "error_max_turns", is_error: true })));
  expect(end).toMatchObject({ outcome: "succeeded", summary: "Cart totals are right." });
});

test("exit 0 without a result has not succeeded", async () => {
  const attempt = new Attempt();
  const end = await run(`${out(init(), assistant([said("All done!")]))} console.error("bye");`, { attempt });
  const error = "it ended well, but without a result: bye";
  const nothing = { summary: null, usage: null, cost_usd: null };
  expect(end).toEqual({ outcome: "failed", failure: "crashed", error, ...nothing });
});

test("one that dies at once says why in its own words", async () => {
  const attempt = new Attempt();
  const source = `console.error("cannot be used with root privileges"); process.exit(1);`;
  expect((await run(source, { attempt })).error).toBe(
    "it ended with 1, but without a result: cannot be used with root privileges",
  );
  expect((await run("process.kill(process.pid, 'SIGKILL');")).error).toBe("it ended with 137, but without a result");
});

test("a line of 10 MB is left out, and what follows is heard", async () => {
  const attempt = new Attempt();
  const source = `out({ type: "user", blob: "x".repeat(10_000_000) }); ${out(result())}`;
  expect((await run(source, { attempt })).outcome).toBe("succeeded");
  const [long] = attempt.events;
  expect(long).toEqual({ type: "note", text: "a line was too long to be read: 8951449 bytes of it were left out" });
});

test("an error of its own is an error, and its cost is kept", async () => {
  const end = await run(
    `${out(result({ is_error: true, result: "API Error", api_error_status: 418 }))} process.exit(1);`,
  );
  expect(end).toEqual({
    outcome: "failed",
    failure: "gave_up",
    error: "it gave up: API Error",
    summary: null,
    ...USED,
  });
});

test("a usage limit parks the attempt until the limit is over", async () => {
  const away = result({ is_error: true, result: "You've hit your limit", api_error_status: 429 });
  const end = await run(`${out(init(), rateLimit("rejected", 1_805_000_000), away)} process.exit(1);`);
  const limit = { holds: "account", until: 1_805_000_000_000, known_from: "signal" };
  expect(end).toMatchObject({ outcome: "rate_limited", error: "You've hit your limit", limit });
});

test("a login that is refused twice ends it at once", async () => {
  const failed = (attempt: number) => retry("authentication_failed", attempt, 401);
  const end = await run(`${out(init(), failed(1), failed(2))} setInterval(() => {}, 60_000);`);
  expect(end).toMatchObject({
    outcome: "failed",
    error: "the model's service does not accept its login: log it in, or give it a key",
  });
});

test("one that hangs is cut by its time, one that is stopped is interrupted", async () => {
  const hangs = `${out(init())} setInterval(() => {}, 60_000);`;
  expect(await run(hangs, { timeoutMs: 500 })).toMatchObject({ outcome: "interrupted", error: null });
  const stop = new AbortController();
  const end = await run(hangs, { signal: stop.signal, tell: () => stop.abort() });
  expect(end).toMatchObject({ outcome: "interrupted", error: null, killed: false });
});

test("a program that is not there is named", async () => {
  const attempt = new Attempt();
  const own = { model: null, effort: null };
  const end = await attempt.run(
    claudeAgent({ adapter: "claude", program: ["no-such-claude"], ...own }, attempt.processes),
  );
  expect(end.error).toBe(
    'it could not be started: no program "no-such-claude": give its path, or put its directory on the PATH',
  );
});
