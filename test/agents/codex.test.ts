/** The adapter `codex` and the real command line, on a model that plays a script. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codexAgent } from "../../src/adapters/agent/codex-agent.ts";
import type { ToolCall } from "../../src/core/policy/tool-rules.ts";
import type { AgentSpec } from "../../src/ports/agent.ts";
import { type Model, startModel, type Turn } from "../../src/probe/model/model-server.ts";
import { Notices } from "../../src/runner/notices.ts";
import { Attempt, type AttemptWish } from "../fixtures/agent-attempt.ts";
import { stopAtWork, WAITS } from "./at-work.ts";
import { CODEX_MODEL, codexCommand, codexEnv } from "./codex-cli.ts";

const patch = (...lines: string[]) => ({
  name: "apply_patch",
  input: { text: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
});
const shell = (cmd: string) => ({ name: "exec_command", input: { cmd, yield_time_ms: 600_000 } });

/** When the limit of the script `spent` is over: seconds since 1970. */
const RESET = 1_900_000_000;

const SCRIPTS: Record<string, Turn[]> = {
  edit: [
    { say: "I write it.", use: [patch("*** Add File: hello.txt", "+hello")] },
    { use: [patch("*** Update File: {cwd}/hello.txt", "@@", "-hello", "+good day")] },
    { use: [shell("tr a-z A-Z < hello.txt > loud.txt; pwd")] },
    { say: "All is said." },
  ],
  told: [{ use: [shell("touch begun; until test -e go; do sleep 0.1; done")] }, { say: "I heard of it." }],
  fails: [{ use: [shell("echo no such luck; exit 7")] }, { say: "It did not work, and I say so." }],
  spent: [
    {
      refuse: {
        status: 429,
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        more: { plan_type: "plus", resets_at: RESET },
        headers: {
          "x-codex-primary-used-percent": "100",
          "x-codex-primary-window-minutes": "300",
          "x-codex-primary-reset-at": String(RESET),
        },
      },
    },
  ],
  quota: [
    { refuse: { status: 429, type: "insufficient_quota", message: "No more.", more: { code: "insufficient_quota" } } },
  ],
  limited: [
    {
      refuse: { status: 429, type: "rate_limit_exceeded", message: "Slow down.", headers: { "retry-after": "1" } },
      times: 2,
      say: "It went on.",
    },
  ],
  busy: [{ refuse: { status: 503, type: "server_error", message: "Busy.", more: { code: "server_is_overloaded" } } }],
  refused: [{ refuse: { status: 401, type: "authentication_error", message: "Incorrect API key provided" } }],
  long: [
    {
      refuse: {
        status: 400,
        type: "invalid_request_error",
        message: "Too long.",
        more: { code: "context_length_exceeded" },
      },
    },
  ],
  wrong: [{ refuse: { status: 400, type: "invalid_request_error", message: "Unsupported value: 'effort'." } }],
  looks: [
    { use: [shell("ls")] },
    { use: [shell("cat /etc/hostname | wc -l")] },
    { use: [patch("*** Add File: a.txt", "+a")] },
    { say: "I have seen it." },
  ],
  hangs: [{ hang: true }],
  waits: [{ use: [shell(WAITS)] }],
};

let model: Model;
beforeAll(async () => {
  model = await startModel(SCRIPTS);
});
afterAll(() => model.close());

interface Played extends AttemptWish {
  spec?: Partial<Extract<AgentSpec, { adapter: "codex" }>>;
}

function play(
  attempt: Attempt,
  script: string,
  { env = {}, spec: more = {}, ...wish }: Played = {},
  flags: string[] = [],
) {
  const program = [...codexCommand(model.url), ...flags];
  const spec = { adapter: "codex" as const, program, model: CODEX_MODEL, effort: "low", ...more };
  return attempt.run(codexAgent(spec, attempt.processes), {
    prompt: `[[play:${script}]] Do what the script says.\n`,
    env: { PATH: "/usr/bin:/bin", ...codexEnv(attempt.base), ...env },
    timeoutMs: 60_000,
    ...wish,
  });
}

const used = (answers: number) => ({
  input: 100 * answers,
  output: 10 * answers,
  cache_read: 1_000 * answers,
  cache_write: 20 * answers,
});

test("it writes, edits and runs, and its session, its tools, its usage and its summary are told", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "edit");
  expect({ end, log: end.outcome === "succeeded" ? "" : attempt.log }).toMatchObject({
    end: { outcome: "succeeded", error: null, summary: "All is said.", usage: used(4), cost_usd: null },
  });
  expect(attempt.read("hello.txt")).toBe("good day\n");
  expect(attempt.read("loud.txt")).toBe("GOOD DAY\n");
  const hello = join(attempt.workspace, "hello.txt");
  expect(attempt.events.filter(({ type }) => type !== "usage" && type !== "tool_ended")).toEqual([
    { type: "session", session: expect.stringMatching(/^[0-9a-f-]{36}$/), model: CODEX_MODEL },
    { type: "text", text: "I write it." },
    { type: "tool", name: "apply_patch", about: hello, id: expect.stringMatching(/^call_/) },
    { type: "tool", name: "apply_patch", about: hello, id: expect.stringMatching(/^call_/) },
    {
      type: "tool",
      name: "exec_command",
      about: "tr a-z A-Z < hello.txt > loud.txt; pwd",
      id: expect.stringMatching(/^call_/),
    },
    { type: "text", text: "All is said." },
  ]);
  expect(attempt.events.filter(({ type }) => type === "tool_ended")).toHaveLength(3);
  expect(attempt.log).not.toContain("delta");
});

test("it is told in the midst of its turn what it is to know, and its model hears it", async () => {
  const attempt = new Attempt();
  const notices = new Notices();
  const clash = "Other work changes the same places.";
  let heard = (): void => {};
  const isTold = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const given = {
    on: (listener: () => void) => notices.on(listener),
    take: () => {
      const words = notices.take();
      if (words.length > 0) heard();
      return words;
    },
  };
  const ended = play(attempt, "told", { notices: given });
  await expect.poll(() => attempt.read("begun"), { timeout: 60_000 }).not.toBeNull();
  notices.set([clash]);
  await isTold;
  // The model is asked once more after the tool, with what was said meanwhile.
  writeFileSync(join(attempt.workspace, "go"), "");
  expect(await ended).toMatchObject({ outcome: "succeeded", summary: "I heard of it." });
  expect(model.bodies.at(-1)).toContain(clash);
  expect(attempt.events.filter(({ type }) => type === "note")).toEqual([]);
});

test("a tool that fails is noted, and the turn goes on", async () => {
  const attempt = new Attempt();
  expect(await play(attempt, "fails")).toMatchObject({
    outcome: "succeeded",
    summary: "It did not work, and I say so.",
  });
  expect(attempt.events).toContainEqual({ type: "note", text: "a tool failed: exit 7: no such luck" });
});

test("a usage limit parks the attempt until the account's window begins anew", async () => {
  const end = await play(new Attempt(), "spent");
  const limit = { holds: "account", until: RESET * 1_000, known_from: "signal" };
  expect(end).toMatchObject({ outcome: "rate_limited", failure: "limit", limit });
  expect(end.error).toContain("usage limit");
});

test("a quota that is spent is nothing to wait for", async () => {
  expect(await play(new Attempt(), "quota")).toMatchObject({
    outcome: "failed",
    failure: "credit",
    error: "nothing is left to pay with: Quota exceeded. Check your plan and billing details.",
  });
});

test("too many requests are noted, and it goes on", async () => {
  const attempt = new Attempt();
  expect(await play(attempt, "limited")).toMatchObject({ outcome: "succeeded", summary: "It went on." });
  const failed =
    "the model's service failed (429): Reconnecting... 1/5: exceeded retry limit, last status: 429 Too Many Requests";
  expect(attempt.events).toContainEqual({ type: "limit", text: failed, until: null });
});

test("a service that stays too busy is nobody's fault", async () => {
  expect(await play(new Attempt(), "busy")).toMatchObject({
    outcome: "rate_limited",
    error: "Selected model is at capacity. Please try a different model.",
  });
});

test("a key that is refused ends it at once, long before it would give up by itself", async () => {
  const began = performance.now();
  const flags = ["-c", "model_providers.scripted.stream_max_retries=100"];
  const end = await play(new Attempt(), "refused", {}, flags);
  expect(end.outcome).toBe("failed");
  expect(end.error).toContain("the model's service does not accept its login: run `codex login`, or give it a key");
  expect(end.error).toContain("Incorrect API key provided");
  expect(performance.now() - began).toBeLessThan(20_000);
});

test.each([
  ["long", /^its conversation is too long for the model: Codex ran out of room/],
  ["wrong", /Unsupported value: 'effort'\.$/],
])("a request that cannot be had is a failure with its reason: %s", async (script, error) => {
  const end = await play(new Attempt(), script);
  expect(end).toMatchObject({ outcome: "failed", error: expect.stringMatching(error) });
});

test("a model that never answers is cut by the attempt's time", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "hangs", { timeoutMs: 4_000 });
  expect(end).toEqual({
    outcome: "interrupted",
    error: null,
    summary: null,
    killed: false,
    usage: null,
    cost_usd: null,
  });
});

test("one that is stopped while a tool runs leaves nothing, and goes on with the message in its own conversation", async () => {
  const attempt = new Attempt();
  const session = await stopAtWork(attempt, (signal) => play(attempt, "waits", { signal }));
  // Its turn was broken off in words: no signal had to.
  expect(attempt.log).toContain('"status":"interrupted"');
  const turn = { message: "[[play:edit]] Do this instead.", session: session.session };
  expect(await play(attempt, "waits", { turn })).toMatchObject({
    outcome: "succeeded",
    summary: "All is said.",
    // Of this turn only: the conversation had used some before.
    usage: used(4),
  });
  expect(attempt.events.filter(({ type }) => type === "session")).toEqual([session, session]);
  expect(attempt.read("loud.txt")).toBe("GOOD DAY\n");
});

test("a key in its environment is its login for this once, and is written down nowhere", async () => {
  const attempt = new Attempt();
  const flags = ["-c", `model_providers.scripted={name="s",base_url="${model.url}/v1",requires_openai_auth=true}`];
  const end = await play(attempt, "fails", { env: { CODEX_API_KEY: "sk-for-this-once" } }, flags);
  expect(end.outcome).toBe("succeeded");
  expect(model.authorizations).toContain("Bearer sk-for-this-once");
  expect(existsSync(join(attempt.base, "home/.codex"))).toBe(true);
  expect(existsSync(join(attempt.base, "home/.codex/auth.json"))).toBe(false);
  expect(attempt.log).not.toContain("sk-for-this-once");
});

test("a conversation that is gone is begun anew, with the task and the message", async () => {
  const attempt = new Attempt();
  const turn = { message: "Go on.", session: "01a22767-0000-7000-8000-000000000000" };
  expect(await play(attempt, "edit", { turn })).toMatchObject({ outcome: "succeeded", summary: "All is said." });
  expect(attempt.events[0]).toEqual({
    type: "note",
    text: `its conversation is not there any more: it begins anew (no rollout found for thread id ${turn.session})`,
  });
});

test("it is held to as many answers as it may have", async () => {
  expect(await play(new Attempt(), "edit", { spec: { turns_max: 2 } })).toMatchObject({
    outcome: "failed",
    failure: "turn_cap",
    error: "it used up its turns: 2",
  });
});

test("its conversation is summed up, and it goes on in it", async () => {
  const attempt = new Attempt();
  expect((await play(attempt, "edit")).outcome).toBe("succeeded");
  const session = attempt.events.find(({ type }) => type === "session");
  if (session?.type !== "session") throw new Error("no session was told");
  const turn = { message: "[[play:fails]] Go on.", session: session.session, compact: true } as const;
  expect(await play(attempt, "edit", { turn })).toMatchObject({
    outcome: "succeeded",
    summary: "It did not work, and I say so.",
  });
  expect(attempt.events).toContainEqual({ type: "note", text: "its conversation was summed up to make room" });
});

test("it asks about every command, also one that only looks, and about every change of a file", async () => {
  const attempt = new Attempt();
  const asked: ToolCall[] = [];
  const permit = async (call: ToolCall) => {
    asked.push(call);
    return { allow: true } as const;
  };
  expect((await play(attempt, "looks", { permit })).outcome).toBe("succeeded");
  expect(asked).toEqual([
    { kind: "run", tool: "exec_command", about: "ls" },
    { kind: "run", tool: "exec_command", about: "cat /etc/hostname | wc -l" },
    { kind: "write", tool: "apply_patch", about: join(attempt.workspace, "a.txt") },
  ]);
});

test("one that bypasses asks nobody, and a system prompt of its own reaches its model", async () => {
  const attempt = new Attempt();
  const permit = async () => ({ allow: false, reason: "never" }) as const;
  const spec = { bypass: true, system: "That is how it is." };
  expect(await play(attempt, "edit", { permit, spec })).toMatchObject({
    outcome: "succeeded",
    summary: "All is said.",
  });
  expect(attempt.read("loud.txt")).toBe("GOOD DAY\n");
  expect(model.bodies.some((body) => body.includes("That is how it is."))).toBe(true);
});
