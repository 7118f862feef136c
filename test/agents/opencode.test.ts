/** The adapter `opencode` and the real OpenCode, on a model that plays a script. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type OpenCodeOptions, openCodeAgent } from "../../src/adapters/agent/opencode-agent.ts";
import type { ToolCall } from "../../src/core/policy/tool-rules.ts";
import { type Model, type Turn, USAGE } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Attempt, type AttemptWish } from "../fixtures/agent-attempt.ts";
import { bearersOf } from "../fixtures/left-processes.ts";
import { stopAtWork, WAITS } from "./at-work.ts";
import { startEchoMcp } from "./echo-mcp.ts";
import { leftBehind, openCodeProgram } from "./opencode-cli.ts";
import { startTroubledModel } from "./troubled-model.ts";

const shell = (command: string) => ({ name: "bash", input: { command, description: "run it" } });

const SCRIPTS: Record<string, Turn[]> = {
  edit: [
    { say: "I write it.", use: [{ name: "write", input: { filePath: "{cwd}/hello.txt", content: "hello\n" } }] },
    { use: [shell("tr a-z A-Z < hello.txt > loud.txt")] },
    { say: "All is said." },
  ],
  removes: [{ use: [shell("rm -rf precious"), shell("echo beside > beside.txt")] }, { say: "Then without." }],
  waits: [{ use: [shell(WAITS)] }],
  says: [{ say: "It is said." }],
  echoes: [{ use: [{ name: "lab_echo", input: { text: "hello" } }] }, { say: "It was called." }],
};

const error = (type: string, message: string, more: object = {}) => ({ error: { type, code: type, message, ...more } });

const HOUR_S = 3_600;
const LIMIT = "The usage limit has been reached";

let model: Model;
/** The trouble that is made of each request to sum up, and how many there were. */
let sumsBadly = "";
let sumsAsked = 0;
beforeAll(async () => {
  model = await startTroubledModel(
    await startTranslatedModel(SCRIPTS),
    {
      busy: {
        times: 2,
        status: 429,
        body: error("rate_limit", "Rate limit reached."),
        headers: { "retry-after": "1" },
      },
      limit: { status: 429, body: error("usage_limit_reached", LIMIT), headers: { "retry-after": String(HOUR_S) } },
      "worded-limit": { status: 429, body: error("usage_limit_reached", `${LIMIT}. Try again in 30m.`) },
      key: { status: 401, body: error("invalid_api_key", "Incorrect API key provided.") },
      credit: {
        status: 429,
        body: error("insufficient_quota", "You exceeded your current quota: check your billing."),
      },
      cut: { cut: true, times: 1 },
      "always-cut": { cut: true },
      hangs: { stalls: true },
    },
    (body) => {
      if (!body.includes("context summarization agent")) return null;
      sumsAsked += 1;
      return sumsBadly;
    },
  );
});
afterEach(() => {
  sumsBadly = "";
});
afterAll(() => model.close());

interface Wish extends AttemptWish, OpenCodeOptions {
  model?: string;
  spec?: { bypass?: boolean; system?: string; turns_max?: number; budget_usd?: number };
}

async function play(attempt: Attempt, script: string, wish: Wish = {}) {
  const { program, env } = openCodeProgram(attempt, model.url);
  const spec = { adapter: "opencode" as const, program, model: wish.model ?? null, effort: null, ...wish.spec };
  const end = await attempt.run(openCodeAgent(spec, attempt.processes, wish), {
    prompt: `[[play:${script}]] Do what the script says.\n`,
    timeoutMs: 90_000,
    ...wish,
    env: { ...env, ...wish.env },
  });
  expect(leftBehind(attempt)).toEqual([]);
  return end;
}

/** How long it takes from the first word of the trouble to the end. */
async function trouble(name: string, wish: Wish = {}) {
  const attempt = new Attempt();
  let since: number | null = null;
  const end = await play(attempt, "says", {
    prompt: `[[play:says]] [[trouble:${name}]] Say it.\n`,
    tell: ({ type }) => {
      if (type === "limit") since ??= performance.now();
    },
    ...wish,
  });
  return { attempt, end, ms: since === null ? 0 : performance.now() - since };
}

test("it asks, writes and runs, and its session, its tools, its tokens, its price and its summary are told", async () => {
  const attempt = new Attempt();
  const calls: ToolCall[] = [];
  const permit = async (call: ToolCall) => {
    calls.push(call);
    return { allow: true } as const;
  };
  const end = await play(attempt, "edit", { model: "scripted/two", permit });
  // This service tells nothing of what went into its cache: that is its input.
  const [input, output] = [3 * (USAGE.input_tokens + USAGE.cache_creation_input_tokens), 3 * USAGE.output_tokens];
  expect({ end, log: end.outcome === "succeeded" ? "" : attempt.log }).toMatchObject({
    end: {
      ...{ outcome: "succeeded", error: null, summary: "All is said." },
      usage: { input, output, cache_read: 3 * USAGE.cache_read_input_tokens, cache_write: 0 },
    },
  });
  // Of a model that costs 3 and 15 dollars a million tokens, and its cache nothing.
  expect(end.cost_usd).toBeCloseTo((3 * input + 15 * output) / 1_000_000, 10);
  const file = join(attempt.workspace, "hello.txt");
  expect(calls).toEqual([
    { kind: "write", tool: "write", about: file },
    { kind: "run", tool: "bash", about: "tr a-z A-Z < hello.txt > loud.txt" },
  ]);
  const shown = attempt.events.filter(({ type }) => !["tool_ended", "usage", "text"].includes(type));
  expect(shown).toMatchObject([
    { type: "session", session: expect.stringMatching(/^ses_/), model: "scripted/two" },
    { type: "tool", name: "write", about: file },
    { type: "permission", tool: "write", about: file, allowed: true },
    { type: "file", path: file },
    { type: "tool", name: "bash", about: "tr a-z A-Z < hello.txt > loud.txt" },
    { type: "permission", tool: "bash", allowed: true },
  ]);
  expect(attempt.events.filter(({ type }) => type === "text")).toEqual([
    { type: "text", text: "I write it." },
    { type: "text", text: "All is said." },
  ]);
  expect(attempt.events.at(-1)).toEqual({ type: "usage", usage: end.usage, cost_usd: end.cost_usd });
  expect(attempt.read("hello.txt")).toBe("hello\n");
  expect(attempt.read("loud.txt")).toBe("HELLO\n");
});

test("it works without asking where it may, and what is said to it beside its prompt reaches the model", async () => {
  const attempt = new Attempt();
  const permit = async () => ({ allow: false, reason: "nobody was to be asked" }) as const;
  const end = await play(attempt, "edit", { permit, spec: { bypass: true } });
  expect(end).toMatchObject({ outcome: "succeeded", summary: "All is said." });
  expect(attempt.events.filter(({ type }) => type === "permission")).toEqual([]);
  expect(attempt.read("loud.txt")).toBe("HELLO\n");
  expect(await play(new Attempt(), "says", { spec: { system: "[[trouble:key]]" } })).toMatchObject({ failure: "auth" });
});

test("a call that is refused is not made, the reason reaches the model, and the turn goes on", async () => {
  const attempt = new Attempt();
  attempt.write("workspace/precious/file", "x");
  const permit = async ({ about }: ToolCall) =>
    about.startsWith("rm") ? ({ allow: false, reason: "it is precious" } as const) : ({ allow: true } as const);
  expect(await play(attempt, "removes", { permit })).toMatchObject({ outcome: "succeeded", summary: "Then without." });
  expect(existsSync(join(attempt.workspace, "precious/file"))).toBe(true);
  expect(attempt.log).toContain("it is precious");
  expect(attempt.events).toContainEqual({
    ...{ type: "permission", tool: "bash", about: "rm -rf precious" },
    ...{ allowed: false, why: "it is precious" },
  });
});

test("a tool of a server of lockstep's is called, with its token", async () => {
  const [attempt, echo] = [new Attempt(), await startEchoMcp()];
  const mcp = [{ name: "lab", url: echo.url, headers: { authorization: "Bearer a-token" } }];
  const end = await play(attempt, "echoes", { mcp }).finally(() => echo.close());
  expect(end).toMatchObject({ outcome: "succeeded", summary: "It was called." });
  expect(echo.echoed).toEqual(["hello"]);
  expect([...echo.authorizations]).toEqual(["Bearer a-token"]);
});

test("one that is stopped while a tool runs leaves nothing, and goes on with the message in its own conversation", async () => {
  const attempt = new Attempt();
  const session = await stopAtWork(attempt, (signal) => play(attempt, "waits", { signal }));
  const before = attempt.events.length;
  const turn = { message: "[[play:edit]] Do this instead.", session: session.session };
  expect(await play(attempt, "waits", { turn })).toMatchObject({ outcome: "succeeded", summary: "All is said." });
  const later = attempt.events.slice(before);
  expect(later.filter(({ type }) => type === "session")).toEqual([session]);
  // Nothing of the first turn is told again.
  expect(later.filter(({ type }) => type === "tool")).toHaveLength(2);
  expect(attempt.read("loud.txt")).toBe("HELLO\n");
});

/** A conversation that has been held already. */
async function held(attempt: Attempt): Promise<string> {
  expect((await play(attempt, "edit")).outcome).toBe("succeeded");
  const session = attempt.events.find(({ type }) => type === "session");
  if (session?.type !== "session") throw new Error("no session was told");
  attempt.events.length = 0;
  return session.session;
}

const ONE_ANSWER = {
  input: USAGE.input_tokens + USAGE.cache_creation_input_tokens,
  output: USAGE.output_tokens,
  cache_read: USAGE.cache_read_input_tokens,
  cache_write: 0,
};
const TWO_ANSWERS = { ...ONE_ANSWER, input: 2 * ONE_ANSWER.input, output: 20, cache_read: 2 * ONE_ANSWER.cache_read };

test("its conversation is summed up, which counts, and it goes on in it", async () => {
  const attempt = new Attempt();
  const turn = { message: "[[play:says]] Go on.", session: await held(attempt), compact: true } as const;
  expect(await play(attempt, "edit", { turn })).toMatchObject({
    ...{ outcome: "succeeded", summary: "It is said.", usage: TWO_ANSWERS },
  });
  expect(attempt.events.filter(({ type }) => type !== "usage")).toEqual([
    { type: "note", text: "its conversation was summed up to make room" },
    { type: "session", session: turn.session, model: "scripted/one" },
    { type: "text", text: "It is said." },
  ]);
  // What was said before is not there any more: its model is told the summary instead.
  expect(model.heard.at(-1)?.scripts).toEqual(["says"]);
});

test("a conversation that cannot be summed up goes on as it is, and so does one that took too long", async () => {
  const attempt = new Attempt();
  const session = await held(attempt);
  const inVain = "its conversation could not be summed up, it goes on in it as it is:";
  for (const [trouble, why] of [
    ["key", "Incorrect API key provided."],
    ["limit", LIMIT],
    ["hangs", "The operation was aborted due to timeout"],
  ]) {
    attempt.events.length = 0;
    sumsBadly = trouble!;
    const turn = { message: "[[play:says]] Go on.", session, compact: true } as const;
    expect({ trouble, end: await play(attempt, "edit", { turn, summingMs: 3_000 }) }).toMatchObject({
      end: { outcome: "succeeded", summary: "It is said.", usage: ONE_ANSWER },
    });
    expect(attempt.events).toContainEqual({ type: "note", text: `${inVain} ${why}` });
  }
  expect(model.heard.at(-1)?.scripts).toEqual(["edit", "says", "says", "says"]);
});

test("one that is stopped or killed while it sums up goes on in its conversation as it was", async () => {
  const attempt = new Attempt();
  const session = await held(attempt);
  for (const isKilled of [false, true]) {
    sumsBadly = "hangs";
    const before = sumsAsked;
    const stop = new AbortController();
    const turn = { message: "[[play:says]] Go on.", session, compact: true } as const;
    const wish = { turn, signal: stop.signal, ...(isKilled ? { kill: stop.signal } : {}) };
    const ended = play(attempt, "edit", wish);
    await expect.poll(() => sumsAsked, { timeout: 60_000 }).toBeGreaterThan(before);
    stop.abort();
    expect(await ended).toMatchObject({ outcome: "interrupted", killed: isKilled });
    sumsBadly = "";
    const next = { message: "[[play:says]] Go on.", session };
    expect(await play(attempt, "edit", { turn: next })).toMatchObject({
      ...{ outcome: "succeeded", summary: "It is said.", usage: ONE_ANSWER },
    });
  }
  expect(model.heard.at(-1)?.scripts).toEqual(["edit", "says", "says"]);
});

test("one that is killed while a tool runs leaves nothing", async () => {
  const attempt = new Attempt();
  const kill = new AbortController();
  const ended = play(attempt, "waits", { kill: kill.signal, signal: kill.signal });
  const home = `HOME=${join(attempt.base, "home")}`;
  await expect
    .poll(() => bearersOf(home).filter((line) => line.includes("tail -f")), { timeout: 60_000 })
    .not.toEqual([]);
  kill.abort();
  expect(await ended).toMatchObject({ outcome: "interrupted", killed: true });
  expect(bearersOf(home)).toEqual([]);
});

test("a conversation that is not there any more begins anew, with its task", async () => {
  const attempt = new Attempt();
  const turn = { message: "Go on.", session: "ses_000000000000000000000000" };
  expect(await play(attempt, "says", { turn })).toMatchObject({ outcome: "succeeded", summary: "It is said." });
  expect(attempt.events).toContainEqual({
    type: "note",
    text: expect.stringContaining("its conversation is not there any more: it begins anew"),
  });
});

test("what passes is waited for, and told", async () => {
  const { end, attempt } = await trouble("busy");
  expect(end).toMatchObject({ outcome: "succeeded", summary: "It is said." });
  expect(attempt.events.filter(({ type }) => type === "limit")).toEqual([
    { type: "limit", text: "it tries again: Rate limit reached.", until: null },
    { type: "limit", text: "it tries again: Rate limit reached.", until: null },
  ]);
  expect(await trouble("cut")).toMatchObject({ end: { outcome: "succeeded", summary: "It is said." } });
});

test("a limit turns it away at once, until the service's own time", async () => {
  const { end, ms } = await trouble("limit");
  expect(end).toMatchObject({ outcome: "rate_limited", error: LIMIT, failure: "limit", limit: { holds: "account" } });
  expect(end.limit).toMatchObject({ known_from: "signal" });
  expect(Math.abs(end.limit!.until! - Date.now() - HOUR_S * 1_000)).toBeLessThan(60_000);
  expect(ms).toBeLessThan(20_000);
});

test("a limit that it tries again and again is decided within 20 s, in its words", async () => {
  const { end, ms } = await trouble("worded-limit");
  expect(end).toMatchObject({ outcome: "rate_limited", error: `${LIMIT}. Try again in 30m.`, failure: "limit" });
  expect(ms).toBeLessThan(20_000);
});

test("a key that is refused and an empty purse are failures that say what to do", async () => {
  const key = await trouble("key");
  expect(key.end).toMatchObject({
    ...{ outcome: "failed", failure: "auth" },
    error: expect.stringMatching(
      /does not accept its login: run `opencode auth login`, or give it a key: Incorrect API/,
    ),
  });
  const credit = await trouble("credit", { times: { decideMs: 1_000 } });
  expect(credit.end).toMatchObject({ outcome: "failed", failure: "credit" });
});

test("an answer that breaks off each time is a failure, after a while", async () => {
  const { end } = await trouble("always-cut", { times: { troubleMs: 5_000 } });
  expect(end).toMatchObject({ outcome: "failed", failure: "cut" });
  expect(end.error).toMatch(/^the answer of its model broke off: /);
});

test("a model that falls silent is cut by the attempt's time", async () => {
  expect((await trouble("hangs", { timeoutMs: 15_000 })).end).toMatchObject({ outcome: "interrupted" });
});

test("a model that is not there is refused, and so are more turns and more money than it may have", async () => {
  expect(await play(new Attempt(), "says", { model: "scripted/none" })).toMatchObject({
    ...{ outcome: "failed", failure: "refused_request" },
    error: "the model's service refused its request: Model not found: scripted/none.",
  });
  expect(await play(new Attempt(), "edit", { spec: { turns_max: 1 } })).toMatchObject({ failure: "turn_cap" });
  expect(await play(new Attempt(), "edit", { spec: { budget_usd: 0.000_1 } })).toMatchObject({ failure: "budget_cap" });
});
