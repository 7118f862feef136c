import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Attempt, type AttemptWish } from "../../../test/fixtures/agent-attempt.ts";
import { assistant, init, rateLimit, result, retry, SESSION, said, used } from "../../../test/fixtures/claude-lines.ts";
import type { Ruling, ToolCall } from "../../core/policy/tool-rules.ts";
import type { AgentSpec } from "../../ports/agent.ts";
import { claudeAgent } from "./claude-agent.ts";

interface Run extends AttemptWish {
  attempt?: Attempt;
  spec?: Partial<Extract<AgentSpec, { adapter: "claude" }>>;
  exitGraceMs?: number;
  decideMs?: number;
}

/**
 * Runs a program that takes the place of Claude Code: `source` is a module that has `out(object)`, `raw(bytes)`, `told`, all
 * that it was told until now, and `hears(n)`, which resolves with it when it has been told so much. It ends with its input.
 */
const CLAUDE = `import { appendFileSync, writeFileSync, writeSync } from "node:fs";
  import { createInterface } from "node:readline";
  const raw = (bytes) => { for (let b = Buffer.from(bytes); b.length > 0; ) b = b.subarray(writeSync(1, b)); };
  const out = (fields) => raw(JSON.stringify(fields) + "\\n");
  const told = [];
  let heard = () => {};
  let atEnd = () => process.exit(0);
  createInterface({ input: process.stdin }).on("close", () => atEnd()).on("line", (line) => {
    appendFileSync("got.jsonl", line + "\\n");
    told.push(JSON.parse(line));
    heard();
  });
  const hears = (n) => new Promise((go) => { heard = () => told.length >= n && go(told); heard(); });
  const asks = (id, request) => out({ type: "control_request", request_id: id, request });\n`;

function run(source: string, { attempt = new Attempt(), spec = {}, exitGraceMs = 300, decideMs, ...wish }: Run = {}) {
  const program = [process.execPath, attempt.write("claude.mjs", CLAUDE + source)];
  const options = { exitGraceMs, softStepMs: 200, ...(decideMs === undefined ? {} : { decideMs }) };
  const whole = { adapter: "claude", program, model: null, effort: null, ...spec } as const;
  return attempt.run(claudeAgent(whole, attempt.processes, options), wish);
}

/** All that it was told, in order. */
const got = (attempt: Attempt): Record<string, unknown>[] =>
  (attempt.read("got.jsonl") ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const out = (...lines: object[]): string => lines.map((line) => `out(${JSON.stringify(line)});`).join("\n");
const SESSION_EVENT = { type: "session", session: SESSION, model: "claude-sonnet-5-5" };
const USED = { usage: { input: 120, output: 450, cache_read: 7_000, cache_write: 30 }, cost_usd: 0.0421 };

test("it is told its prompt in the conversation, flags for one both ways, and no mark of an outer session", async () => {
  const attempt = new Attempt();
  const source = `writeFileSync("got.json", JSON.stringify({ argv: process.argv.slice(2), env: process.env }));
    await hears(2); ${out(result())}`;
  const env = { CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", ANTHROPIC_API_KEY: "test", DISABLE_AUTOUPDATER: "0" };
  const spec = { model: "sonnet", effort: "low", turns_max: 30, budget_usd: 2.5, system: "Be brief." };
  const end = await run(source, { attempt, spec, prompt: "Make it right.\n", env });
  expect(end.outcome).toBe("succeeded");
  const asked = JSON.parse(readFileSync(join(attempt.workspace, "got.json"), "utf8"));
  const flags = `-p --input-format stream-json --output-format stream-json --verbose --permission-mode default
    --permission-prompt-tool stdio --model sonnet --effort low --max-turns 30 --max-budget-usd 2.5`;
  expect(asked.argv).toEqual(flags.split(/\s+/));
  expect(asked.env).toMatchObject({ ANTHROPIC_API_KEY: "test", DISABLE_AUTOUPDATER: "0" });
  for (const name of ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "IS_SANDBOX"]) expect(asked.env).not.toHaveProperty(name);
  expect(got(attempt)).toEqual([
    {
      type: "control_request",
      request_id: "lockstep-1",
      request: {
        subtype: "initialize",
        hooks: { PreToolUse: [{ matcher: null, hookCallbackIds: ["lockstep"] }] },
        appendSystemPrompt: "Be brief.",
      },
    },
    {
      type: "user",
      message: { role: "user", content: [{ type: "text", text: "Make it right.\n" }] },
      parent_tool_use_id: null,
      session_id: "",
    },
  ]);
});

test("one that bypasses asks nobody, and says so where root may not otherwise", async () => {
  const attempt = new Attempt();
  const source = `writeFileSync("got.json", JSON.stringify({ argv: process.argv.slice(2), env: process.env }));
    await hears(2); ${out(result())}`;
  expect((await run(source, { attempt, spec: { bypass: true } })).outcome).toBe("succeeded");
  const asked = JSON.parse(readFileSync(join(attempt.workspace, "got.json"), "utf8"));
  expect(asked.argv.join(" ")).toContain("--permission-mode bypassPermissions");
  expect(asked.argv).not.toContain("--permission-prompt-tool");
  expect(asked.env.IS_SANDBOX).toBe(process.getuid!() === 0 ? "1" : undefined);
  expect(got(attempt)[0]).toMatchObject({ request: { subtype: "initialize", hooks: {} } });
});

test("a conversation that it does not know begins anew, once, in the same attempt and with the whole task", async () => {
  const attempt = new Attempt();
  const unknown = result({
    subtype: "error_during_execution",
    is_error: true,
    result: undefined,
    errors: [`No conversation found with session ID: ${SESSION}`],
  });
  const source = `const isResuming = process.argv.includes("--resume");
    appendFileSync("ran", process.argv.slice(-2).join(" ") + "\\n");
    if (isResuming) { ${out(unknown)} process.exit(1); }
    await hears(2); ${out(init(), result())}`;
  const turn = { message: "The whole task.", session: SESSION, whole: true } as const;
  expect(await run(source, { attempt, turn })).toMatchObject({ outcome: "succeeded", ...USED });
  expect(attempt.events).toMatchObject([
    {
      type: "note",
      text: `its conversation is not there any more: it begins anew (No conversation found with session ID: ${SESSION})`,
    },
    { type: "session", session: SESSION },
    { type: "usage" },
  ]);
  expect(attempt.read("ran")?.trim().split("\n")).toEqual([`--resume ${SESSION}`, "--permission-prompt-tool stdio"]);
  expect(got(attempt).at(-1)).toMatchObject({ message: { content: [{ text: "The whole task." }] } });
});

test("an interrupted turn whose conversation is lost is told its task again, and what the person said", async () => {
  const attempt = new Attempt();
  const unknown = result({ is_error: true, result: "No conversation found with session ID: x" });
  const source = `if (process.argv.includes("--resume")) { ${out(unknown)} process.exit(1); }
    await hears(2); ${out(init(), result())}`;
  const turn = { message: "Use tabs.", session: SESSION };
  expect(await run(source, { attempt, turn, prompt: "Make it right.\n" })).toMatchObject({ outcome: "succeeded" });
  const words = "Make it right.\n\nYou had begun on this when you were interrupted. Use tabs.\n";
  expect(got(attempt).at(-1)).toMatchObject({ message: { content: [{ text: words }] } });
});

test("what it says of a conversation in the middle of its own is no reason to begin anew", async () => {
  const attempt = new Attempt();
  const said = result({ is_error: true, result: "No conversation found with session ID: x" });
  const turn = { message: "Use tabs.", session: SESSION };
  const source = `appendFileSync("ran", "x"); await hears(2); ${out(init(), said)}`;
  expect(await run(source, { attempt, turn })).toMatchObject({ outcome: "failed", failure: "gave_up" });
  expect(attempt.read("ran")).toBe("x");
});

test("a conversation that is to be summed up is, and then it is told the message; what both used is counted", async () => {
  const attempt = new Attempt();
  const source = `await hears(2); ${out(init(), result({ is_error: true, result: "Not enough messages to compact." }))}
    await hears(3); ${out(init(), result())}`;
  const turn = { message: "Go on.", session: SESSION, compact: true } as const;
  expect(await run(source, { attempt, turn })).toMatchObject({
    outcome: "succeeded",
    usage: { input: 240, output: 900, cache_read: 14_000, cache_write: 60 },
  });
  const told = got(attempt).slice(1);
  expect(told).toMatchObject([
    { message: { content: [{ text: "/compact" }] } },
    { message: { content: [{ text: "Go on." }] } },
  ]);
});

test("every call of a tool is asked about and ruled on, and a no goes to it with its reason", async () => {
  const attempt = new Attempt();
  const calls: ToolCall[] = [];
  const source = `await hears(2);
    asks("h", { subtype: "hook_callback", callback_id: "lockstep", input: {} });
    asks("a", { subtype: "can_use_tool", tool_name: "Bash", input: { command: "rm -rf x", description: "away" } });
    await hears(4);
    asks("b", { subtype: "can_use_tool", tool_name: "Write", input: { file_path: "/w/a.js", content: "1" } });
    asks("c", { subtype: "mcp_message" });
    asks("d", { subtype: "can_use_tool", tool_name: "AskUserQuestion", input: { questions: [] } });
    await hears(7);
    ${out(result())}`;
  const permit = async (call: ToolCall): Promise<Ruling> => {
    calls.push(call);
    return call.kind === "run" ? { allow: false, reason: "not here" } : { allow: true };
  };
  expect((await run(source, { attempt, permit })).outcome).toBe("succeeded");
  expect(calls).toEqual([
    { kind: "run", tool: "Bash", about: "rm -rf x" },
    { kind: "write", tool: "Write", about: "/w/a.js" },
  ]);
  const answers = Object.fromEntries(
    got(attempt)
      .slice(2)
      .map(({ response }) => [(response as { request_id: string }).request_id, response]),
  );
  expect(answers).toMatchObject({
    h: { response: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } } },
    a: { subtype: "success", response: { behavior: "deny", message: "not here" } },
    b: { response: { behavior: "allow", updatedInput: { file_path: "/w/a.js", content: "1" } } },
    c: { subtype: "error", error: "mcp_message is not had here" },
    d: { response: { behavior: "deny", message: expect.stringContaining("nobody sits before you") } },
  });
});

test("a call that is too long to be read is refused, and not waited for for ever", async () => {
  const attempt = new Attempt();
  const source = `await hears(2);
    asks("long", { subtype: "can_use_tool", tool_name: "Write", input: { content: "x".repeat(5_000_000) } });
    await hears(3);
    ${out(result())}`;
  expect((await run(source, { attempt })).outcome).toBe("succeeded");
  expect(got(attempt)[2]).toMatchObject({ response: { request_id: "long", response: { behavior: "deny" } } });
});

test("one that is stopped is asked to break its turn off, and its own error after that is the stop's", async () => {
  const attempt = new Attempt();
  const stop = new AbortController();
  const source = `${out(init())} await hears(3);
    ${out(result({ subtype: "error_during_execution", is_error: true }))}`;
  const end = await run(source, { attempt, signal: stop.signal, tell: () => stop.abort() });
  expect(end).toEqual({ outcome: "interrupted", error: null, summary: null, killed: false, ...USED });
  expect(got(attempt)[2]).toMatchObject({ type: "control_request", request: { subtype: "interrupt" } });
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
    raw(JSON.stringify(${JSON.stringify(result())}));
    process.exit(0);`;
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
    { type: "usage", usage: { input: 90, output: 1, cache_read: 0, cache_write: 0 }, cost_usd: null },
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
  const end = await run(`${out(init(), assistant([said("All done!")]))} console.error("bye"); process.exit(0);`, {
    attempt,
  });
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
  expect(long).toEqual({ type: "note", text: "a line was too long to be read: 5805721 bytes of it were left out" });
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

test("a limit that it would wait for long, or that is still there after a while, is no longer waited for", async () => {
  const attempt = new Attempt();
  const hangs = "setInterval(() => {}, 60_000);";
  const hour = { ...retry("rate_limit", 1, 429), retry_delay_ms: 3_600_000 };
  const began = Date.now();
  const long = await run(`${out(init(), hour)} ${hangs}`, { attempt });
  expect(long).toMatchObject({ outcome: "rate_limited", failure: "limit", limit: { holds: "account" } });
  expect(long.limit!.until).toBeGreaterThanOrEqual(began + 3_600_000);
  expect(attempt.events.at(-1)).toEqual({
    type: "limit",
    text: "the model's service failed (rate_limit 429): retry 1 of 10 in 3600 s",
    until: long.limit!.until,
  });
  const stays = await run(`${out(init(), retry("overloaded", 1, 529))} ${hangs}`, { decideMs: 2_000 });
  expect(stays).toMatchObject({ outcome: "rate_limited", failure: "overload", limit: { holds: "provider" } });
});

test("a limit that it gets over in time is none", async () => {
  const source = `${out(init(), retry("rate_limit", 1, 429), assistant([said("On with it.")]))}
    setTimeout(() => { ${out(result())} }, 2_500);`;
  expect((await run(source, { decideMs: 2_000 })).outcome).toBe("succeeded");
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
