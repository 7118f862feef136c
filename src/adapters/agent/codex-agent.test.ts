import { expect, test } from "vitest";
import { Attempt, type AttemptWish } from "../../../test/fixtures/agent-attempt.ts";
import {
  command,
  errorNotice,
  failure,
  fileChange,
  item,
  rateLimits,
  said,
  THREAD,
  TURN,
  tokens,
  turnEnded,
  window,
} from "../../../test/fixtures/codex-lines.ts";
import type { ToolCall } from "../../core/policy/tool-rules.ts";
import type { AgentEvent, AgentSpec } from "../../ports/agent.ts";
import { Notices } from "../../runner/notices.ts";
import { codexAgent } from "./codex-agent.ts";
import { CodexTalk } from "./codex-talk.ts";

interface Run extends AttemptWish {
  attempt?: Attempt;
  model?: string;
  effort?: string;
  exitGraceMs?: number;
  softStepMs?: number;
  decideMs?: number;
  spec?: Partial<Extract<AgentSpec, { adapter: "codex" }>>;
}

/**
 * Takes the place of Codex: it writes down what it is told (`got.jsonl`), answers as Codex does, and plays `source` when a
 * turn begins. There `out(object)` sends a message, and `on[method]` is what it does when it is told that.
 */
const SERVER = `import { appendFileSync, writeFileSync, writeSync } from "node:fs";
  import { createInterface } from "node:readline";
  const raw = (bytes) => { for (let b = Buffer.from(bytes); b.length > 0; ) b = b.subarray(writeSync(1, b)); };
  const out = (fields) => raw(JSON.stringify(fields) + "\\n");
  const reply = (id, result) => out({ id, result });
  const thread = (id, { threadId = ${JSON.stringify(THREAD)} }) => reply(id, { thread: { id: threadId }, model: "gpt-0" });
  const interrupted = ${JSON.stringify(turnEnded("interrupted"))};
  const on = {
    initialize: (id) => reply(id, { userAgent: "codex/0" }),
    "account/login/start": (id) => reply(id, { type: "apiKey" }),
    "thread/start": thread,
    "thread/resume": thread,
    "turn/start": async (id) => { reply(id, { turn: { id: ${JSON.stringify(TURN)}, status: "inProgress" } }); play(); },
    "turn/interrupt": (id) => { reply(id, {}); out(interrupted); },
  };
  let atEnd = () => process.exit(0);
  let play = () => {};
  let answered = () => {};
  writeFileSync("argv.json", JSON.stringify(process.argv.slice(2)));
  createInterface({ input: process.stdin }).on("close", () => atEnd()).on("line", (line) => {
    appendFileSync("got.jsonl", line + "\\n");
    const { id, method, params, ...rest } = JSON.parse(line);
    if (method === undefined) answered(rest, id); else on[method]?.(id, params);
  });\n`;

function run(
  source: string,
  {
    attempt = new Attempt(),
    model,
    effort,
    exitGraceMs = 300,
    softStepMs = 300,
    decideMs,
    spec = {},
    ...wish
  }: Run = {},
) {
  const program = [process.execPath, attempt.write("codex.mjs", SERVER + source)];
  const whole = { adapter: "codex", program, model: model ?? null, effort: effort ?? null, ...spec } as const;
  const options = { exitGraceMs, softStepMs, ...(decideMs === undefined ? {} : { decideMs }) };
  return attempt.run(codexAgent(whole, attempt.processes, options), wish);
}

const out = (...lines: object[]): string => lines.map((line) => `out(${JSON.stringify(line)});`).join("\n");
const played = (...lines: object[]): string => `play = () => { ${out(...lines)} };`;
const got = (attempt: Attempt): { id?: number; method?: string; params?: Record<string, unknown> }[] =>
  (attempt.read("got.jsonl") ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const paramsOf = (attempt: Attempt, method: string) => got(attempt).find((told) => told.method === method)?.params;
const FREE = { usage: null, cost_usd: null };
const note = (text: string) => ({ type: "note", text });
const SESSION_EVENT = { type: "session", session: THREAD, model: "gpt-0" };

test("it is told where to work, and its prompt in the conversation, never in its command line", async () => {
  const attempt = new Attempt();
  const source = played(item("item/completed", said("Done.")), turnEnded("completed"));
  const end = await run(source, { attempt, model: "gpt-5.5", effort: "low", prompt: "Make it right.\n" });
  expect(end).toEqual({ outcome: "succeeded", error: null, summary: "Done.", ...FREE });
  expect(JSON.parse(attempt.read("argv.json")!)).toEqual(["app-server"]);
  expect(got(attempt).map(({ method }) => method)).toEqual(["initialize", "initialized", "thread/start", "turn/start"]);
  expect(paramsOf(attempt, "thread/start")).toEqual({
    cwd: attempt.workspace,
    model: "gpt-5.5",
    approvalPolicy: "untrusted",
    sandbox: "danger-full-access",
  });
  expect(paramsOf(attempt, "turn/start")).toEqual({
    threadId: THREAD,
    input: [{ type: "text", text: "Make it right.\n", text_elements: [] }],
    effort: "low",
  });
  expect(attempt.events).toEqual([SESSION_EVENT, { type: "text", text: "Done." }]);
});

test("without a model and an effort the agent's own are left", async () => {
  const attempt = new Attempt();
  await run(played(turnEnded("completed")), { attempt });
  expect(paramsOf(attempt, "thread/start")).not.toHaveProperty("model");
  expect(paramsOf(attempt, "turn/start")).not.toHaveProperty("effort");
});

test("what it does is heard in its order, whatever stands between the lines and however they are cut", async () => {
  const attempt = new Attempt();
  const text = "Grüße an 🙂, fertig.";
  const source = `play = async () => {
    raw("2027-01-01 ERROR codex_core: something\\n\\n{ not json\\n");
    ${out({ method: "new/in/the/next/release", params: { a: 1 } }, item("item/started", command()))}
    const line = Buffer.from(JSON.stringify(${JSON.stringify(item("item/completed", said(text)))}) + "\\n");
    const half = line.indexOf("🙂") + 2;
    raw(line.subarray(0, half));
    await new Promise((go) => setImmediate(go));
    raw(line.subarray(half));
    ${out(item("item/completed", command({ status: "completed", exitCode: 0 })))}
    raw(JSON.stringify(${JSON.stringify(turnEnded("completed"))}) + "\\n");
  };`;
  expect(await run(source, { attempt })).toMatchObject({ outcome: "succeeded", summary: text });
  expect(attempt.events).toEqual([
    SESSION_EVENT,
    { type: "tool", name: "exec_command", about: "npm test", id: "call_1" },
    { type: "text", text },
    { type: "tool_ended", id: "call_1" },
  ]);
});

test("a line of 10 MB is left out, the tool that it says has ended is not taken to run for ever", async () => {
  const attempt = new Attempt();
  const source = `play = () => {
    out({ method: "item/completed", params: { item: { type: "commandExecution", id: "call_1", aggregatedOutput: "x".repeat(10_000_000) } } });
    ${out(turnEnded("completed"))} };`;
  expect((await run(source, { attempt })).outcome).toBe("succeeded");
  expect(attempt.events.slice(1)).toEqual([
    note("a line was too long to be read: 8951533 bytes of it were left out"),
    { type: "tool_ended", id: "call_1" },
  ]);
});

test("its tokens are the attempt's: without what its conversation had used before, with what its helpers use", async () => {
  const attempt = new Attempt();
  const source = `on["thread/resume"] = (id, params) => { thread(id, params);
    ${out(tokens([1_000, 500, 10, 40], [100, 50, 0, 4], { turnId: "an-earlier-turn" }))} };
    ${played(
      tokens([1_200, 600, 20, 50], [200, 100, 10, 10]),
      tokens([900, 0, 0, 20], [300, 0, 0, 7], { threadId: "a-helper", turnId: "its-turn" }),
      tokens([1_300, 700, 20, 55], [100, 100, 0, 5]),
      turnEnded("completed"),
    )}`;
  const end = await run(source, { attempt, turn: { message: "Go on.", session: THREAD } });
  const usage = { input: 90 + 300, output: 15 + 7, cache_read: 200, cache_write: 10 };
  expect(end).toMatchObject({ outcome: "succeeded", usage, cost_usd: null });
  const told = attempt.events.filter(({ type }) => type === "usage");
  expect(told).toHaveLength(3);
  expect(told[0]).toEqual({
    type: "usage",
    usage: { input: 90, output: 10, cache_read: 100, cache_write: 10 },
    cost_usd: null,
  });
  expect(told.at(-1)).toEqual({ type: "usage", usage, cost_usd: null });
});

test("in its own conversation it is told the message alone, and none of its turns is asked for", async () => {
  const attempt = new Attempt();
  const turn = { message: "Do this instead.", session: THREAD };
  await run(played(turnEnded("completed")), { attempt, turn, model: "gpt-5.5" });
  expect(paramsOf(attempt, "thread/resume")).toMatchObject({ threadId: THREAD, model: "gpt-5.5", excludeTurns: true });
  expect(paramsOf(attempt, "turn/start")).toMatchObject({ input: [{ text: "Do this instead." }] });
});

test("a conversation that is to be summed up is, and the message comes after that; if it cannot be, at once", async () => {
  const attempt = new Attempt();
  const ended = {
    method: "turn/completed",
    params: { threadId: THREAD, turn: { id: "summing", status: "completed" } },
  };
  const sums = `on["thread/compact/start"] = (id) => { reply(id, {}); ${out(ended)} };`;
  const turn = { message: "Go on.", session: THREAD, compact: true } as const;
  const play = played(turnEnded("completed"));
  expect((await run(sums + play, { attempt, turn })).outcome).toBe("succeeded");
  const methods = ["initialize", "initialized", "thread/resume", "thread/compact/start", "turn/start"];
  expect(got(attempt).map(({ method }) => method)).toEqual(methods);
  const other = new Attempt();
  const refuses = `on["thread/compact/start"] = (id) => out({ id, error: { code: -1, message: "nothing to sum up" } });`;
  expect((await run(refuses + play, { attempt: other, turn })).outcome).toBe("succeeded");
  expect(other.events[0]).toEqual(note("its conversation could not be summed up: nothing to sum up"));
});

test("a conversation that is gone is begun anew, with the task again", async () => {
  const attempt = new Attempt();
  const source = `on["thread/resume"] = (id) => out({ id, error: { code: -32600, message: "no rollout found" } });
    ${played(turnEnded("completed"))}`;
  const end = await run(source, { attempt, prompt: "Make it.\n", turn: { message: "Go on.", session: "gone" } });
  expect(end.outcome).toBe("succeeded");
  expect(attempt.events).toEqual([
    note("its conversation is not there any more: it begins anew (no rollout found)"),
    SESSION_EVENT,
  ]);
  expect(paramsOf(attempt, "turn/start")).toMatchObject({
    input: [{ text: "Make it.\n\nYou had begun on this when you were interrupted. Go on.\n" }],
  });
});

test("a key is told in the conversation and kept nowhere; marks of an outer session are not handed on", async () => {
  const attempt = new Attempt();
  const source = `writeFileSync("env.json", JSON.stringify(process.env)); ${played(turnEnded("completed"))}`;
  const env = { CODEX_API_KEY: "sk-1", CODEX_THREAD_ID: "outer", CODEX_CI: "1", CODEX_HOME: "/somewhere" };
  expect((await run(source, { attempt, env })).outcome).toBe("succeeded");
  expect(JSON.parse(attempt.read("argv.json")!)).toEqual([
    "-c",
    'cli_auth_credentials_store="ephemeral"',
    "app-server",
  ]);
  expect(paramsOf(attempt, "account/login/start")).toEqual({ type: "apiKey", apiKey: "sk-1" });
  const seen = JSON.parse(attempt.read("env.json")!);
  expect(seen).toMatchObject({ CODEX_HOME: "/somewhere", NO_COLOR: "1" });
  for (const name of ["CODEX_THREAD_ID", "CODEX_CI"]) expect(seen).not.toHaveProperty(name);
});

const ASKS = [
  ["item/commandExecution/requestApproval", { command: "/bin/bash -lc 'rm -rf build'" }],
  ["item/fileChange/requestApproval", { itemId: "call_2", reason: null }],
  ["item/permissions/requestApproval", { permissions: { network: { enabled: true } }, reason: "npm" }],
  ["execCommandApproval", { command: ["bash", "-lc", "echo it's"] }],
  ["applyPatchApproval", { fileChanges: { "/w/a.js": {} } }],
  ["mcpServer/elicitation/request", { serverName: "notes", _meta: { codex_approval_kind: "mcp_tool_call" } }],
  ["item/commandExecution/requestApproval", { command: null, networkApprovalContext: { host: "example.org" } }],
  ["item/tool/requestUserInput", { questions: [] }],
  ["mcpServer/elicitation/request", { serverName: "notes", mode: "form" }],
  ["new/request", {}],
].map(([method, params], id) => ({ id, method, params }));

/** Asks all of these, and ends its turn when it has been answered, and told as often why not, as `told` says. */
const asking = (told: number): string => `play = () => { ${out(item("item/started", fileChange()), ...ASKS)} };
  let left = ${ASKS.length + told};
  const answer = () => { left -= 1; if (left === 0) { ${out(turnEnded("completed"))} } };
  on["turn/steer"] = (id) => { reply(id, { turnId: ${JSON.stringify(TURN)} }); answer(); };
  answered = answer;`;

test("what it is to know is said in its turn, also what there was before that began", async () => {
  const attempt = new Attempt();
  const notices = new Notices();
  notices.set(["a clash"]);
  const told = `play = () => { ${out(item("item/started", fileChange()))} };
    let said = 0;
    on["turn/steer"] = (id) => { reply(id, {}); said += 1; ${out(item("item/completed", said("Heard.")))} if (said === 2) { ${out(turnEnded("completed"))} } };`;
  const tell = ({ type }: AgentEvent) => {
    if (type === "text") notices.set(["a clash", "another"]);
  };
  expect((await run(told, { attempt, notices, tell })).outcome).toBe("succeeded");
  expect(paramsOf(attempt, "turn/steer")).toMatchObject({ threadId: THREAD, expectedTurnId: TURN });
  const words = got(attempt).filter(({ method }) => method === "turn/steer");
  expect(words.map(({ params }) => (params as { input: { text: string }[] }).input[0]?.text)).toEqual([
    "a clash",
    "another",
  ]);
});

const answersOf = (attempt: Attempt) =>
  got(attempt)
    .filter(({ method }) => method === undefined)
    .sort((one, other) => one.id! - other.id!);

test("what it asks leave for is ruled on, and what only a person has it does not get", async () => {
  const attempt = new Attempt();
  const calls: ToolCall[] = [];
  const permit = async (call: ToolCall) => {
    calls.push(call);
    return { allow: true } as const;
  };
  expect((await run(asking(0), { attempt, permit })).outcome).toBe("succeeded");
  expect(calls.sort((one, other) => (one.tool + one.about < other.tool + other.about ? -1 : 1))).toEqual([
    { kind: "write", tool: "apply_patch", about: "/somewhere/a.js" },
    { kind: "write", tool: "apply_patch", about: "/somewhere/b.js" },
    { kind: "write", tool: "apply_patch", about: "/w/a.js" },
    { kind: "run", tool: "exec_command", about: "bash -lc 'echo it'\\''s'" },
    { kind: "run", tool: "exec_command", about: "rm -rf build" },
    { kind: "other", tool: "mcp__notes", about: "" },
    { kind: "fetch", tool: "network", about: "example.org" },
    { kind: "other", tool: "request_permissions", about: "npm" },
  ]);
  expect(answersOf(attempt)).toEqual([
    { id: 0, result: { decision: "accept" } },
    { id: 1, result: { decision: "accept" } },
    { id: 2, result: { permissions: { network: { enabled: true } }, scope: "turn" } },
    { id: 3, result: { decision: "approved" } },
    { id: 4, result: { decision: "approved" } },
    { id: 5, result: { action: "accept", content: {}, _meta: null } },
    { id: 6, result: { decision: "accept" } },
    { id: 7, result: { answers: {} } },
    { id: 8, result: { action: "decline", content: null, _meta: null } },
    { id: 9, error: { code: -32_601, message: "new/request is not had here" } },
  ]);
  expect(attempt.events.filter(({ type }) => type === "note")).toEqual([
    note("it asked a person, and nobody sits before it"),
    note("notes asked a person, and nobody sits before it"),
    note("it asked for what is not had: new/request"),
  ]);
});

test("a no is told with its reason in the turn that goes on", async () => {
  const attempt = new Attempt();
  const permit = async () => ({ allow: false, reason: "not here" }) as const;
  expect((await run(asking(7), { attempt, permit })).outcome).toBe("succeeded");
  expect(answersOf(attempt).slice(0, 7)).toEqual([
    { id: 0, result: { decision: "decline" } },
    { id: 1, result: { decision: "decline" } },
    { id: 2, result: { permissions: {}, scope: "turn" } },
    { id: 3, result: { decision: "denied" } },
    { id: 4, result: { decision: "denied" } },
    { id: 5, result: { action: "decline", content: null, _meta: null } },
    { id: 6, result: { decision: "decline" } },
  ]);
  const steers = got(attempt).filter(({ method }) => method === "turn/steer");
  expect(steers).toHaveLength(7);
  expect(steers.map(({ params }) => params)).toContainEqual({
    threadId: THREAD,
    expectedTurnId: TURN,
    input: [
      {
        type: "text",
        text: "Your call of exec_command (rm -rf build) was refused: not here. Go on without it.",
        text_elements: [],
      },
    ],
  });
});

test("one that bypasses asks nobody, and its system prompt is told to each of its conversations", async () => {
  const attempt = new Attempt();
  const spec = { bypass: true, system: "Be brief." };
  await run(played(turnEnded("completed")), { attempt, spec });
  expect(paramsOf(attempt, "thread/start")).toMatchObject({
    approvalPolicy: "never",
    developerInstructions: "Be brief.",
  });
});

test("as many answers as it may have are counted, and one that would need more is broken off", async () => {
  const attempt = new Attempt();
  const step = (id: string) => [item("item/started", command({ id })), tokens([1, 0, 0, 1], [1, 0, 0, 1])];
  const source = played(...step("a"), ...step("b"), item("item/started", command({ id: "c" })));
  expect(await run(source, { attempt, spec: { turns_max: 2 } })).toMatchObject({
    outcome: "failed",
    failure: "turn_cap",
    error: "it used up its turns: 2",
  });
  expect(got(attempt).at(-1)).toMatchObject({ method: "turn/interrupt" });
  const enough = played(
    ...step("a"),
    item("item/completed", said("Done.")),
    tokens([2, 0, 0, 2], [1, 0, 0, 1]),
    turnEnded("completed"),
  );
  expect(await run(enough, { spec: { turns_max: 2 } })).toMatchObject({ outcome: "succeeded" });
});

test("a helper's end is not the attempt's, nor is what a helper said last its summary", async () => {
  const whose = { threadId: "a-helper", turnId: "its-turn" };
  const helperEnded = {
    method: "turn/completed",
    params: { threadId: "a-helper", turn: { id: "t", status: "failed" } },
  };
  const end = await run(
    played(
      item("item/completed", said("Mine.")),
      item("item/completed", said("The helper's."), whose),
      helperEnded,
      turnEnded("completed"),
    ),
  );
  expect(end).toMatchObject({ outcome: "succeeded", summary: "Mine." });
});

test("one that hangs after the end of its turn is ended, and the turn stands", async () => {
  const source = `atEnd = () => setInterval(() => {}, 60_000); ${played(turnEnded("completed"))}`;
  expect(await run(source)).toMatchObject({ outcome: "succeeded" });
});

test("a usage limit parks the attempt until the account's full window begins anew", async () => {
  const spent = failure("usageLimitExceeded", "You've hit your usage limit.");
  const end = await run(
    played(rateLimits(window(100, 1_805_000_000)), errorNotice(false, spent), turnEnded("failed", spent)),
  );
  expect(end).toMatchObject({
    outcome: "rate_limited",
    error: "You've hit your usage limit.",
    limit: { holds: "account", until: 1_805_000_000_000, known_from: "signal" },
  });
});

test("a login that is refused twice ends it at once, however often it would try", async () => {
  const attempt = new Attempt();
  const refused = (n: number) =>
    errorNotice(true, failure({ responseStreamDisconnected: { httpStatusCode: 401 } }, `Reconnecting... ${n}/100`));
  const end = await run(`process.on("SIGTERM", () => process.exit(0)); ${played(refused(1), refused(2))}`, { attempt });
  expect(end).toMatchObject({
    outcome: "failed",
    error: "the model's service does not accept its login: run `codex login`, or give it a key: Reconnecting... 2/100",
  });
});

test("a login that is refused once and then works is no failure", async () => {
  const refused = errorNotice(true, failure({ responseStreamDisconnected: { httpStatusCode: 401 } }));
  const work = item("item/started", said(""));
  const end = await run(played(refused, work, refused, work, turnEnded("completed")));
  expect(end.outcome).toBe("succeeded");
});

test.each([
  ["unauthorized", "failed"],
  ["usageLimitExceeded", "rate_limited"],
])("nothing but silence after the word %s is not waited for", async (code, outcome) => {
  const attempt = new Attempt();
  const end = await run(played(errorNotice(true, failure(code))), { attempt, decideMs: 200 });
  expect(end).toMatchObject({ outcome, error: expect.stringContaining("It failed.") });
});

test("retries without end are given up", async () => {
  const busy = errorNotice(true, failure({ responseStreamDisconnected: { httpStatusCode: 503 } }, "Reconnecting..."));
  const source = `play = () => { for (let n = 0; n < 31; n += 1) { ${out(busy)} } };`;
  expect(await run(source)).toMatchObject({ outcome: "rate_limited", failure: "overload", error: "Reconnecting..." });
});

test("one that refuses to begin says why", async () => {
  const source = `on["thread/start"] = (id) => out({ id, error: { code: -32600, message: "no such model" } });`;
  expect(await run(source)).toEqual({
    outcome: "failed",
    failure: "protocol",
    error: "it did not begin: thread/start: no such model",
    summary: null,
    ...FREE,
  });
  const nameless = `on["turn/start"] = (id) => reply(id, {});`;
  expect((await run(nameless)).error).toBe("it did not begin: it does not name its turn");
});

test("one that dies in its turn has failed, whatever its exit code, with the last words of its standard error", async () => {
  const dies = (code: number) => `play = () => { process.stderr.write("thread panicked\\n"); process.exit(${code}); };`;
  expect(await run(dies(0))).toMatchObject({
    outcome: "failed",
    error: "it ended well, but without an end of its turn: thread panicked",
  });
  expect(await run(dies(101))).toMatchObject({
    outcome: "failed",
    error: "it ended with 101, but without an end of its turn: thread panicked",
  });
});

test("one that is stopped is asked in words, and needs no signal", async () => {
  const attempt = new Attempt();
  const stop = new AbortController();
  const source = `process.on("SIGTERM", () => { appendFileSync("signals", "TERM"); process.exit(1); });
    ${played(item("item/started", command()))}`;
  const tell = ({ type }: { type: string }) => void (type === "tool" && stop.abort());
  const end = await run(source, { attempt, signal: stop.signal, tell, softStepMs: 10_000, exitGraceMs: 10_000 });
  expect(end).toEqual({ outcome: "interrupted", error: null, summary: null, killed: false, ...FREE });
  expect(paramsOf(attempt, "turn/interrupt")).toEqual({ threadId: THREAD, turnId: TURN });
  expect(attempt.read("signals")).toBeNull();
});

test("one that does not listen to words is told by signals, and killed when it does not hear these either", async () => {
  const deaf = `on["turn/interrupt"] = () => {}; atEnd = () => {}; setInterval(() => {}, 60_000);
    ${played(item("item/started", command()))}`;
  const stopAt = () => {
    const stop = new AbortController();
    return { signal: stop.signal, tell: ({ type }: { type: string }) => void (type === "tool" && stop.abort()) };
  };
  expect(await run(deaf, stopAt())).toMatchObject({ outcome: "interrupted", killed: false });
  const stubborn = `process.on("SIGTERM", () => {}); ${deaf}`;
  expect(await run(stubborn, stopAt())).toMatchObject({ outcome: "interrupted", killed: true });
});

test("one that is stopped before its conversation began is over at once", async () => {
  const attempt = new Attempt();
  const stop = new AbortController();
  const source = `on.initialize = () => writeFileSync("ready", "");`;
  const ended = run(source, { attempt, signal: stop.signal, softStepMs: 10_000 });
  await expect.poll(() => attempt.read("ready"), { timeout: 10_000 }).not.toBeNull();
  stop.abort();
  expect(await ended).toMatchObject({ outcome: "interrupted", killed: false });
  const before = AbortSignal.abort();
  expect(await run(played(turnEnded("completed")), { signal: before })).toMatchObject({ outcome: "interrupted" });
});

test("one that is stopped before its program listens is told nothing", () => {
  const wish = { cwd: "/", model: null, effort: null, apiKey: null, thread: null, words: { resumed: "", anew: "" } };
  const steering = { system: null, isBypassed: false, compacts: false, permit: async () => ({ allow: true }) as const };
  const talk = new CodexTalk({ ...wish, ...steering, mcp: [], tell: () => {} });
  const told: string[] = [];
  talk.interrupt();
  talk.open({ write: (text) => told.push(text), end: () => told.push("the end") });
  expect(told).toEqual(["the end"]);
});

test("one that hangs is cut by its time", async () => {
  const end = await run(`on.initialize = () => {};`, { timeoutMs: 500 });
  expect(end).toMatchObject({ outcome: "interrupted", error: null });
});

test("a program that is not there is named", async () => {
  const attempt = new Attempt();
  const own = { model: null, effort: null };
  const end = await attempt.run(
    codexAgent({ adapter: "codex", program: ["no-such-codex"], ...own }, attempt.processes),
  );
  expect(end.error).toBe(
    'it could not be started: no program "no-such-codex": give its path, or put its directory on the PATH',
  );
});
