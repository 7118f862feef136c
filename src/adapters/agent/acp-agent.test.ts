import { expect, test } from "vitest";
import { ACP_SESSION, call, callUpdate, OPTIONS } from "../../../test/fixtures/acp-lines.ts";
import { Attempt, type AttemptWish } from "../../../test/fixtures/agent-attempt.ts";
import { FAKE_ACP_AGENT } from "../../../test/fixtures/fake-acp-agent.ts";
import type { AgentSpec } from "../../ports/agent.ts";
import { acpAgent } from "./acp-agent.ts";
import type { AcpTimes } from "./acp-conversation.ts";
import type { Fields } from "./wire-fields.ts";

interface Run extends AttemptWish {
  attempt?: Attempt;
  spec?: Partial<Omit<Extract<AgentSpec, { adapter: "acp" }>, "adapter">>;
  exitGraceMs?: number;
  times?: Partial<AcpTimes>;
}

const TIMES: AcpTimes = { answerMs: 10_000, cancelMs: 2_000, replayMs: 50 };

/** Runs an agent that `source` makes of the fake one. */
function run(source: string, { attempt = new Attempt(), spec, exitGraceMs = 1_000, times, ...wish }: Run = {}) {
  const program = [process.execPath, attempt.write("agent.mjs", FAKE_ACP_AGENT + source)];
  const whole = { adapter: "acp", program, mode: null, model: null, effort: null, auth: null, ...spec } as const;
  const options = { exitGraceMs, times: { ...TIMES, ...times } };
  return attempt.run(acpAgent(whole, attempt.processes, options), wish);
}

/** What the agent was sent. */
function sent(attempt: Attempt): Fields[] {
  return JSON.parse(attempt.read("got.json") ?? "[]");
}

const methods = (attempt: Attempt): unknown[] => sent(attempt).map(({ method }) => method);
const notes = (attempt: Attempt): unknown[] =>
  attempt.events.flatMap((event) => (event.type === "note" ? event.text : []));

test("a turn goes from the greeting to the answer to its prompt, and is told while it goes", async () => {
  const attempt = new Attempt();
  const end = await run(
    `on["session/prompt"] = () => {
      say("I te"); say("st.");
      tell(${JSON.stringify(call("c1"))}); tell(${JSON.stringify(callUpdate("c1", { status: "completed" }))});
      say("All is well.");
      tell({ sessionUpdate: "usage_update", used: 1, size: 9, cost: { amount: 0.25, currency: "USD" } });
      return { result: { stopReason: "end_turn", usage: { inputTokens: 10, outputTokens: 5 } } };
    };
    closed = () => { writeFileSync("closed", ""); process.exit(0); };`,
    { attempt, prompt: "Make it right.\n", exitGraceMs: 10_000 },
  );
  const usage = { input: 10, output: 5, cache_read: 0, cache_write: 0 };
  expect(end).toEqual({ outcome: "succeeded", error: null, summary: "All is well.", usage, cost_usd: 0.25 });
  expect(attempt.events).toEqual([
    { type: "session", session: ACP_SESSION, model: null },
    { type: "text", text: "I test." },
    { type: "tool", name: "execute", about: "npm test", id: "c1" },
    { type: "tool_ended", id: "c1" },
    { type: "text", text: "All is well." },
    { type: "usage", usage, cost_usd: 0.25 },
  ]);
  // It was not ended, but told that there is nothing more.
  expect(attempt.read("closed")).toBe("");
  expect(sent(attempt)).toEqual([
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "lockstep", title: "lockstep", version: "1" },
      },
    },
    { jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: attempt.workspace, mcpServers: [] } },
    {
      jsonrpc: "2.0",
      id: 3,
      method: "session/prompt",
      params: { sessionId: ACP_SESSION, prompt: [{ type: "text", text: "Make it right.\n" }] },
    },
  ]);
});

test("leave is given by the kind of an option, for once, and noted; what no client offers is refused", async () => {
  const attempt = new Attempt();
  const end = await run(
    `on["session/prompt"] = async () => {
      const toolCall = { toolCallId: "c1", title: "rm -r dist", kind: "execute" };
      await ask("session/request_permission", { sessionId: SESSION, toolCall, options: ${JSON.stringify(OPTIONS)} });
      await ask("session/request_permission", { sessionId: SESSION, toolCall, options: [{ optionId: "no", kind: "reject_once" }] });
      await ask("session/request_permission", 7);
      await ask("fs/write_text_file", { path: "/etc/passwd", content: "" });
      await ask("terminal/create", {});
      await ask("terminal/create", {});
      return done;
    };`,
    { attempt },
  );
  expect(end.outcome).toBe("succeeded");
  const cancelled = { outcome: { outcome: "cancelled" } };
  const refused = (method: string) => ({ code: -32601, message: `${method} is not offered` });
  expect(sent(attempt).slice(3)).toEqual([
    { jsonrpc: "2.0", id: "a0", result: { outcome: { outcome: "selected", optionId: "now" } } },
    { jsonrpc: "2.0", id: "a1", result: cancelled },
    { jsonrpc: "2.0", id: "a2", result: cancelled },
    { jsonrpc: "2.0", id: "a3", error: refused("fs/write_text_file") },
    { jsonrpc: "2.0", id: "a4", error: refused("terminal/create") },
    { jsonrpc: "2.0", id: "a5", error: refused("terminal/create") },
  ]);
  expect(notes(attempt)).toEqual([
    "it asked leave for execute rm -r dist: allowed (Allow)",
    "it asked leave for execute rm -r dist: not allowed, for it offers no way to say yes",
    "it asked leave for a tool: not allowed, for it offers no way to say yes",
    "it asked for fs/write_text_file, which it does itself or not at all",
    "it asked for terminal/create, which it does itself or not at all",
  ]);
});

const ASK_FOR = (title: string, id = "c1"): string =>
  `await ask("session/request_permission", { toolCall: { toolCallId: "${id}", title: "${title}", kind: "execute" },
    options: ${JSON.stringify(OPTIONS)} });`;
const NO_RM: AttemptWish["permit"] = async ({ about }) =>
  about.startsWith("rm") ? { allow: false, reason: "not here" } : { allow: true };
const ANSWERED = { inputTokens: 10, outputTokens: 5 };

test("a no that ends its turn is followed by its reason in the same conversation, and what all of it used is counted", async () => {
  const attempt = new Attempt();
  const end = await run(
    `let prompts = 0; const end = (stopReason) => ({ result: { stopReason, usage: ${JSON.stringify(ANSWERED)} } });
    on["session/prompt"] = async () => {
      prompts += 1;
      if (prompts === 1) { say("I tidy up."); ${ASK_FOR("rm x")} return end("cancelled"); }
      if (prompts === 2) { ${ASK_FOR("rm y")} return end("end_turn"); }
      say("Without it, then."); return end("end_turn");
    };`,
    { attempt, permit: NO_RM },
  );
  expect(end).toMatchObject({
    outcome: "succeeded",
    summary: "Without it, then.",
    usage: { input: 30, output: 15 },
  });
  const prompts = sent(attempt).filter(({ method }) => method === "session/prompt");
  expect(prompts.slice(1).map(({ params }) => (params as { prompt: { text: string }[] }).prompt[0]!.text)).toEqual([
    "Your call was refused (execute rm x): not here. Go on with your task without it.",
    "Your call was refused (execute rm y): not here. Go on with your task without it.",
  ]);
});

test("one that goes on by itself after a no is not told again, and one that never does is told five times", async () => {
  const attempt = new Attempt();
  const goesOn = `on["session/prompt"] = async () => { ${ASK_FOR("rm x")} say("On with it."); return done; };`;
  expect((await run(goesOn, { attempt, permit: NO_RM })).outcome).toBe("succeeded");
  expect(methods(attempt).filter((method) => method === "session/prompt")).toHaveLength(1);
  const stubborn = new Attempt();
  const again = `on["session/prompt"] = async () => { ${ASK_FOR("rm x")} return { result: { stopReason: "cancelled" } }; };`;
  const end = await run(again, { attempt: stubborn, permit: NO_RM });
  expect(end).toMatchObject({ outcome: "failed", failure: "refused_permission" });
  expect(methods(stubborn).filter((method) => method === "session/prompt")).toHaveLength(6);
});

test("more calls of tools than it may make are broken off, and so is work above its budget", async () => {
  const attempt = new Attempt();
  const waits = `let cancel; on["session/cancel"] = () => cancel?.();
    const cancelled = () => new Promise((go) => { cancel = () => go({ result: { stopReason: "cancelled" } }); });`;
  const calls = `${waits} on["session/prompt"] = async () => {
    tell(${JSON.stringify(call("c1"))}); tell(${JSON.stringify(call("c1"))}); ${ASK_FOR("ls", "c2")} ${ASK_FOR("ls", "c3")}
    return cancelled(); };`;
  expect(await run(calls, { attempt, spec: { turns_max: 2 } })).toMatchObject({
    outcome: "failed",
    failure: "turn_cap",
    error: "it used up its turns: 2 calls of tools",
  });
  expect(sent(attempt).at(-1)).toMatchObject({ id: "a1", result: { outcome: { outcome: "cancelled" } } });
  const costs = `${waits} on["session/prompt"] = async () => {
    tell({ sessionUpdate: "usage_update", cost: { amount: 2.5, currency: "USD" } }); return cancelled(); };`;
  expect(await run(costs, { spec: { budget_usd: 2 } })).toMatchObject({
    outcome: "failed",
    failure: "budget_cap",
    error: "it used up its budget: 2.5 of 2 US dollars",
  });
});

test("the bridge to Claude Code is told its turns and its system prompt; others get the latter before their task", async () => {
  const attempt = new Attempt();
  const spec = { turns_max: 1, system: "Be brief." };
  const tools = `on["session/prompt"] = () => { tell(${JSON.stringify(call("c1"))}); tell(${JSON.stringify(call("c2"))}); return done; };`;
  const greeting = { protocolVersion: 1, agentInfo: { name: "@agentclientprotocol/claude-agent-acp" } };
  const bridge = `on.initialize = () => ({ result: ${JSON.stringify(greeting)} }); ${tools}`;
  expect((await run(bridge, { attempt, spec, prompt: "Make it." })).outcome).toBe("succeeded");
  expect(sent(attempt)[1]).toMatchObject({
    params: { _meta: { claudeCode: { options: { maxTurns: 1 } }, systemPrompt: { append: "Be brief." } } },
  });
  expect(sent(attempt)[2]).toMatchObject({ params: { prompt: [{ text: "Make it." }] } });
  const other = new Attempt();
  await run("", { attempt: other, spec, prompt: "Make it." });
  expect(sent(other)[1]!["params"]).not.toHaveProperty("_meta");
  expect(sent(other)[2]).toMatchObject({ params: { prompt: [{ text: "Be brief.\n\nMake it." }] } });
});

const OFFERS = `on["session/new"] = () => ({ result: {
  sessionId: SESSION,
  modes: { currentModeId: "ask", availableModes: [{ id: "ask" }, { id: "free" }] },
  configOptions: [
    { id: "m", category: "model", currentValue: "small", options: [{ value: "small" }, { value: "large" }] },
    { id: "e", category: "thought_level", currentValue: "low", options: [{ value: "low" }, { value: "high" }] },
  ],
} });
for (const method of ["session/set_mode", "session/set_config_option", "session/set_model"]) on[method] = () => ({ result: {} });`;

test("mode, model and effort are set in whatever way it offers, and only where they differ", async () => {
  const attempt = new Attempt();
  await run(OFFERS, { attempt, spec: { mode: "free", model: "large", effort: "low" } });
  expect(sent(attempt).slice(2, -1)).toMatchObject([
    { method: "session/set_mode", params: { sessionId: ACP_SESSION, modeId: "free" } },
    { method: "session/set_config_option", params: { sessionId: ACP_SESSION, configId: "m", value: "large" } },
  ]);
  expect(attempt.events[0]).toEqual({ type: "session", session: ACP_SESSION, model: "large" });
  const other = new Attempt();
  const models = `on["session/new"] = () => ({ result: { sessionId: SESSION, models: { currentModelId: "a", availableModels: [{ modelId: "a" }] } } });`;
  await run(OFFERS + models, { attempt: other, spec: { model: "b" } });
  expect(sent(other)[2]).toMatchObject({ method: "session/set_model", params: { modelId: "b" } });
  const same = new Attempt();
  await run(OFFERS, { attempt: same, spec: { mode: "ask", model: "small" } });
  expect(methods(same)).toEqual(["initialize", "session/new", "session/prompt"]);
});

test.each([
  [{ mode: "yolo" }, 'it has no mode "yolo": it has ask, free'],
  [{ model: "huge" }, 'it has no model "huge": it has small, large'],
  [{ effort: "max" }, 'it has no effort "max": it has low, high'],
])("what it does not have is no success: %j", async (spec, error) => {
  const attempt = new Attempt();
  expect(await run(OFFERS, { attempt, spec })).toMatchObject({ outcome: "failed", error });
  expect(methods(attempt)).not.toContain("session/prompt");
});

test("one that lets nothing be chosen says so", async () => {
  expect(await run("", { spec: { effort: "high" } })).toMatchObject({
    outcome: "failed",
    error: "it does not let its effort be chosen: leave `effort` out",
  });
});

const LOGIN = `let isIn = false;
on["session/new"] = () => isIn ? { result: { sessionId: SESSION } } : { error: { code: -32000, message: "Authentication required" } };
on.authenticate = () => { isIn = true; return { result: {} }; };`;

test("one that is not logged in is logged in by the way that is configured, and otherwise ends with a word on it", async () => {
  const attempt = new Attempt();
  expect(await run(LOGIN, { attempt, spec: { auth: "key" } })).toMatchObject({ outcome: "succeeded" });
  expect(sent(attempt)[2]).toMatchObject({ method: "authenticate", params: { methodId: "key" } });
  expect(await run(LOGIN)).toMatchObject({
    outcome: "failed",
    error: "it is not logged in: log it in, or set `auth` to one of key",
  });
  expect(await run(`${LOGIN} on.authenticate = () => ({ result: {} });`, { spec: { auth: "key" } })).toMatchObject({
    outcome: "failed",
    error: "it is not logged in, though it was by `auth` key: log it in",
  });
});

const TURN = { message: "Use cents.", session: "old-one" };
const REPLAY = `say("Old words."); tell(${JSON.stringify(call("c0", { status: "completed" }))});`;

test.each([
  ["session/resume", 'abilities.sessionCapabilities = { resume: {} }; on["session/resume"] = () => ({ result: {} });'],
  ["session/load", `abilities.loadSession = true; on["session/load"] = () => { ${REPLAY} return { result: {} }; };`],
  [
    "session/load",
    `abilities.loadSession = true; on["session/load"] = () => { setTimeout(() => { ${REPLAY} }, 10); return { result: {} }; };`,
  ],
])("an interrupted turn goes on in its conversation by %s, and nothing is told again", async (method, source) => {
  const attempt = new Attempt();
  const end = await run(`${source} on["session/prompt"] = () => { say("New words."); return done; };`, {
    attempt,
    turn: TURN,
  });
  expect(end).toMatchObject({ outcome: "succeeded", summary: "New words." });
  expect(sent(attempt).slice(1)).toMatchObject([
    { method, params: { sessionId: "old-one", cwd: attempt.workspace, mcpServers: [] } },
    { method: "session/prompt", params: { sessionId: "old-one", prompt: [{ type: "text", text: "Use cents." }] } },
  ]);
  expect(attempt.events).toEqual([
    { type: "session", session: "old-one", model: null },
    { type: "text", text: "New words." },
  ]);
});

test.each([
  ["it cannot take one up again", ""],
  [
    "Internal error: No such session.",
    `abilities.loadSession = true;
     on["session/load"] = () => ({ error: { code: -32603, message: "Internal error", data: { details: "No such session." } } });`,
  ],
])("where there is no way back it begins anew with the whole task: %s", async (why, source) => {
  const attempt = new Attempt();
  expect(await run(source, { attempt, turn: TURN, prompt: "Make it right.\n" })).toMatchObject({
    outcome: "succeeded",
  });
  expect(attempt.events).toEqual([
    { type: "note", text: `its conversation is not there any more: it begins anew (${why})` },
    { type: "session", session: ACP_SESSION, model: null },
  ]);
  expect(sent(attempt).at(-1)).toMatchObject({
    params: { prompt: [{ text: "Make it right.\n\nYou had begun on this when you were interrupted. Use cents.\n" }] },
  });
});

test.each([
  ["max_tokens", "it used up its tokens: So far."],
  ["max_turn_requests", "it used up its requests to the model: So far."],
  ["refusal", "the model refused to go on: So far."],
  ["cancelled", "it broke its turn off, though nobody told it to: So far."],
  ["bored", "it stopped for a reason that is not known (bored): So far."],
  [undefined, "it stopped for a reason that is not known (none): So far."],
])("a turn that stops by %s has not succeeded", async (stopReason, error) => {
  const source = `on["session/prompt"] = () => { say("So far."); return { result: ${JSON.stringify({ stopReason })} }; };`;
  expect(await run(source)).toMatchObject({ outcome: "failed", error, summary: null });
});

test.each([
  [
    { code: 429, message: "Quota is used up, retry in 60s" },
    { outcome: "rate_limited", failure: "limit", limit: { holds: "account", until: null, known_from: "backoff" } },
  ],
  [
    { code: -32603, message: "Internal", data: { errorKind: "overloaded" } },
    { outcome: "rate_limited", failure: "overload", limit: { holds: "provider", until: null, known_from: "backoff" } },
  ],
  [
    { code: 401, message: "no" },
    {
      outcome: "failed",
      failure: "auth",
      error: "the model's service does not accept its login: log it in, or give it a key: no",
    },
  ],
  [
    { code: -32603, message: "It broke." },
    { outcome: "failed", error: "It broke." },
  ],
])("an error is what it says: %j", async (error, end) => {
  expect(await run(`on["session/prompt"] = () => ({ error: ${JSON.stringify(error)} });`)).toMatchObject(end);
});

test("an error before the prompt names where it came", async () => {
  const source = `on["session/new"] = () => ({ error: { code: -32602, message: "no such directory" } });`;
  expect(await run(source)).toMatchObject({ outcome: "failed", error: "session/new: no such directory" });
  expect(await run(`on.initialize = () => ({ result: { protocolVersion: 2 } });`)).toMatchObject({
    outcome: "failed",
    error: "it speaks version 2 of ACP, not 1",
  });
});

test("one that dies without an answer has not succeeded, whatever its exit code, and its last words are kept", async () => {
  const dies = (code: number) =>
    `on["session/prompt"] = () => { say("I begin."); console.error("out of memory\\n"); process.exit(${code}); };`;
  expect(await run(dies(0))).toMatchObject({
    outcome: "failed",
    error: "it ended well, but without an answer to its prompt: out of memory",
    summary: null,
  });
  expect(await run(dies(3))).toMatchObject({
    outcome: "failed",
    error: "it ended with 3, but without an answer to its prompt: out of memory",
  });
  expect(await run("process.exit(5);")).toMatchObject({
    outcome: "failed",
    error: "it ended with 5, but without an answer to its prompt",
  });
});

test("one that cannot be started says why", async () => {
  const attempt = new Attempt();
  expect(await run("", { attempt, spec: { program: ["no-such-agent"] } })).toMatchObject({
    outcome: "failed",
    error: 'it could not be started: no program "no-such-agent": give its path, or put its directory on the PATH',
  });
  expect(attempt.started).toBe(0);
});

test("one that is stopped is asked to cancel, gets no leave any more, and has time to", async () => {
  const attempt = new Attempt();
  const stop = new AbortController();
  const end = await run(
    `let cancel;
    on["session/cancel"] = () => cancel();
    on["session/prompt"] = async () => {
      say("I work."); console.error("started in 5 ms");
      tell({ sessionUpdate: "plan", entries: [{ content: "x", status: "in_progress" }] });
      await new Promise((resolve) => { cancel = resolve; });
      await ask("session/request_permission", { toolCall: {}, options: ${JSON.stringify(OPTIONS)} });
      return { result: { stopReason: "cancelled" } };
    };`,
    {
      attempt,
      signal: stop.signal,
      tell: ({ type }) => {
        if (type === "text") stop.abort();
      },
    },
  );
  expect(end).toMatchObject({ outcome: "interrupted", error: null, killed: false });
  expect(sent(attempt).slice(3)).toMatchObject([
    { method: "session/cancel", params: { sessionId: ACP_SESSION } },
    { id: "a0", result: { outcome: { outcome: "cancelled" } } },
  ]);
});

test("a turn that ends well after it was told to stop is stopped all the same", async () => {
  const stop = new AbortController();
  const end = await run(
    `let cancel; on["session/cancel"] = () => cancel();
    on["session/prompt"] = async () => {
      say("a"); tell({ sessionUpdate: "agent_thought_chunk" });
      await new Promise((resolve) => { cancel = resolve; });
      return done;
    };`,
    { signal: stop.signal, tell: ({ type }) => type === "text" && stop.abort() },
  );
  expect(end).toMatchObject({ outcome: "interrupted" });
});

test("one that does not heed anything is ended by force", async () => {
  const stop = new AbortController();
  const end = await run(
    `process.on("SIGTERM", () => {}); closed = () => {}; setInterval(() => {}, 60_000);
    on["session/cancel"] = () => {};
    on["session/prompt"] = () => { say("a"); tell({ sessionUpdate: "agent_thought_chunk" }); return new Promise(() => {}); };`,
    {
      signal: stop.signal,
      exitGraceMs: 100,
      times: { cancelMs: 100 },
      tell: ({ type }) => type === "text" && stop.abort(),
    },
  );
  expect(end).toMatchObject({ outcome: "interrupted", killed: true });
});

test("one that was stopped before it began never begins", async () => {
  const attempt = new Attempt();
  const end = await run('writeFileSync("begun", "");', { attempt, signal: AbortSignal.abort() });
  expect(end).toMatchObject({ outcome: "interrupted" });
  expect(attempt.read("begun")).toBeNull();
});

test("one that never answers before its prompt is given up", async () => {
  const source = `on.initialize = () => { console.error("still loading"); };`;
  expect(await run(source, { times: { answerMs: 1_500 } })).toMatchObject({
    outcome: "failed",
    error: "it did not answer initialize: still loading",
  });
});

test("one that does not exit when its input ends is ended, and its answer stands", async () => {
  const began = performance.now();
  const end = await run(
    `closed = () => {}; setInterval(() => {}, 60_000); on["session/prompt"] = () => { say("Done."); return done; };`,
    {
      exitGraceMs: 200,
    },
  );
  expect(end).toMatchObject({ outcome: "succeeded", summary: "Done." });
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("garbage between its lines, unknown messages and updates, and lines cut anywhere change nothing", async () => {
  const attempt = new Attempt();
  const end = await run(
    `raw("Warning: old\\n\\n{ not json\\n[1]\\nnull\\n");
    on["session/prompt"] = async () => {
      raw(Buffer.from([0xff, 0xfe, 0x0a]));
      out({ method: "_vendor/news", params: 7 });
      out({ id: 99, result: {} });
      out({ id: 3 });
      tell({ sessionUpdate: "new_in_the_next_release", a: 1 });
      tell(null);
      const line = Buffer.from(JSON.stringify({ method: "session/update", params: { update: { content: { text: "Grüße 🙂", type: "text" }, sessionUpdate: "agent_message_chunk" } } }) + "\\r\\n");
      const half = line.indexOf("🙂") + 2;
      raw(line.subarray(0, half));
      await new Promise((resolve) => setTimeout(resolve, 20));
      raw(line.subarray(half));
      return done;
    };`,
    { attempt },
  );
  expect(end).toMatchObject({ outcome: "succeeded", summary: "Grüße 🙂" });
  expect(notes(attempt)).toEqual([]);
});

test("a line of 10 MB is read, as edits of large files are; a longer one is left out and leaves nobody waiting", async () => {
  const attempt = new Attempt();
  const end = await run(
    `on["session/prompt"] = async () => {
      const mb = (count) => "x".repeat(count * 1024 * 1024);
      const toolCall = { toolCallId: "c1", title: "write", content: mb(10) };
      await ask("session/request_permission", { toolCall, options: ${JSON.stringify(OPTIONS)} });
      await ask("session/request_permission", { toolCall: { ...toolCall, content: mb(17) }, options: ${JSON.stringify(OPTIONS)} });
      say("After both.");
      return done;
    };`,
    { attempt, timeoutMs: 60_000 },
  );
  expect(end).toMatchObject({ outcome: "succeeded", summary: "After both." });
  expect(sent(attempt).slice(3)).toMatchObject([
    { id: "a0", result: { outcome: { outcome: "selected" } } },
    { id: "a1", error: { code: -32600, message: "the request is too long" } },
  ]);
  expect(notes(attempt)).toContainEqual(
    expect.stringMatching(/^a line was too long to be read: 1\d{6} bytes of it were left out$/),
  );
});
