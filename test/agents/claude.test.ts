/** The adapter `claude` and the real command line, on a model that plays a script. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeAgent } from "../../src/adapters/agent/claude-agent.ts";
import type { ToolCall } from "../../src/core/policy/tool-rules.ts";
import type { AgentEvent, AgentSpec } from "../../src/ports/agent.ts";
import { type Model, startModel, type Turn, USAGE } from "../../src/probe/model/model-server.ts";
import { Attempt, type AttemptWish } from "../fixtures/agent-attempt.ts";
import { stopAtWork, WAITS } from "./at-work.ts";
import { claudeEnv, claudeProgram } from "./claude-cli.ts";

const HELPER = {
  description: "help",
  prompt: "[[play:helps]] Help.",
  subagent_type: "general-purpose",
  run_in_background: false,
};

const SCRIPTS: Record<string, Turn[]> = {
  edit: [
    { say: "I write it.", use: [{ name: "Write", input: { file_path: "{cwd}/hello.txt", content: "hello\n" } }] },
    { use: [{ name: "Edit", input: { file_path: "{cwd}/hello.txt", old_string: "hello", new_string: "good day" } }] },
    {
      use: [
        { name: "Bash", input: { command: "tr a-z A-Z < hello.txt > loud.txt; pwd", description: "make it loud" } },
      ],
    },
    { say: "All is said." },
  ],
  fails: [
    { use: [{ name: "Bash", input: { command: "exit 7", description: "fail" } }] },
    { say: "It did not work, and I say so." },
  ],
  limited: [
    {
      refuse: {
        status: 429,
        type: "rate_limit_error",
        message: "This request would exceed your account's rate limit.",
        headers: { "retry-after": "1" },
      },
    },
  ],
  broken: [{ refuse: { status: 500, type: "api_error", message: "Internal server error" } }],
  refused: [{ refuse: { status: 401, type: "authentication_error", message: "invalid x-api-key" } }],
  hangs: [{ hang: true }],
  waits: [{ use: [{ name: "Bash", input: { command: WAITS, description: "wait for ever" } }] }],
  // Each of its answers costs another sum, so that a sum tells which are in it.
  loop: [1, 10, 100, 1_000].map((times) => ({
    use: [{ name: "Bash", input: { command: "true", description: "go on" } }],
    usage: costing(times),
  })),
  delegates: [
    { use: [{ name: "Task", input: HELPER }], usage: costing(1) },
    { say: "It is done.", usage: costing(10) },
  ],
  helps: [{ say: "I helped.", usage: costing(100) }],
};

/** What an answer tells that costs so many times as much as others. */
function costing(times: number) {
  return {
    input_tokens: times * USAGE.input_tokens,
    cache_creation_input_tokens: times * USAGE.cache_creation_input_tokens,
    cache_read_input_tokens: times * USAGE.cache_read_input_tokens,
    output_tokens: times * USAGE.output_tokens,
  };
}

/** As lockstep tells it. */
function usedBy(times: number) {
  return {
    input: times * USAGE.input_tokens,
    output: times * USAGE.output_tokens,
    cache_read: times * USAGE.cache_read_input_tokens,
    cache_write: times * USAGE.cache_creation_input_tokens,
  };
}

let model: Model;
beforeAll(async () => {
  model = await startModel(SCRIPTS);
});
afterAll(() => model.close());

interface Played extends AttemptWish {
  spec?: Partial<Extract<AgentSpec, { adapter: "claude" }>>;
}

function play(attempt: Attempt, script: string, { env = {}, spec: more = {}, ...wish }: Played = {}) {
  const spec = { adapter: "claude" as const, program: [claudeProgram()], model: "sonnet", effort: null, ...more };
  return attempt.run(claudeAgent(spec, attempt.processes), {
    prompt: `[[play:${script}]] Do what the script says.\n`,
    env: { PATH: "/usr/bin:/bin", HOME: join(attempt.base, "home"), ...claudeEnv(model.url), ...env },
    timeoutMs: 60_000,
    ...wish,
  });
}

test("it writes, edits and runs, and its session, its tools, its cost and its summary are told", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "edit");
  expect({ end, log: end.outcome === "succeeded" ? "" : attempt.log }).toMatchObject({
    end: { outcome: "succeeded", error: null, summary: "All is said." },
  });
  expect(attempt.read("hello.txt")).toBe("good day\n");
  expect(attempt.read("loud.txt")).toBe("GOOD DAY\n");
  expect(end.usage).toEqual({
    input: 4 * USAGE.input_tokens,
    output: 4 * USAGE.output_tokens,
    cache_read: 4 * USAGE.cache_read_input_tokens,
    cache_write: 4 * USAGE.cache_creation_input_tokens,
  });
  expect(end.cost_usd).toBeGreaterThan(0);
  expect(attempt.events.at(-1)).toEqual({ type: "usage", usage: end.usage, cost_usd: end.cost_usd });
  const events = attempt.events.filter(({ type }) => type !== "tool_ended" && type !== "usage");
  expect(events).toMatchObject([
    { type: "session", session: expect.stringMatching(/^[0-9a-f-]{36}$/), model: expect.stringContaining("sonnet") },
    { type: "text", text: "I write it." },
    { type: "tool", name: "Write", about: join(attempt.workspace, "hello.txt") },
    { type: "tool", name: "Edit", about: join(attempt.workspace, "hello.txt") },
    { type: "tool", name: "Bash", about: "tr a-z A-Z < hello.txt > loud.txt; pwd" },
    { type: "text", text: "All is said." },
  ]);
});

test("a tool that fails is noted, and the turn goes on", async () => {
  const attempt = new Attempt();
  expect(await play(attempt, "fails")).toMatchObject({
    outcome: "succeeded",
    summary: "It did not work, and I say so.",
  });
  expect(attempt.events).toContainEqual({ type: "note", text: "a tool failed: Exit code 7" });
});

test("a limit that does not go away is nobody's fault", async () => {
  const end = await play(new Attempt(), "limited");
  expect(end).toMatchObject({ outcome: "rate_limited", limit: { holds: "account", until: null } });
  expect(end.error).toContain("This request would exceed your account's rate limit.");
});

test("a service that stays broken is nobody's fault, and no success, though the stream calls it one", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "broken");
  expect(end).toMatchObject({ outcome: "rate_limited", failure: "overload", limit: { holds: "provider" } });
  expect(attempt.log).toContain('"subtype":"success"');
});

test("a key that is refused ends it at once, long before it would give up by itself", async () => {
  const end = await play(new Attempt(), "refused", { env: { CLAUDE_CODE_MAX_RETRIES: "10" } });
  expect(end.outcome).toBe("failed");
  expect(end.error).toContain("the model's service does not accept its login");
});

test("a model that never answers is cut by the attempt's time", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "hangs", { timeoutMs: 4_000 });
  expect(end).toMatchObject({ outcome: "interrupted" });
});

test("one that is stopped while a tool runs leaves nothing, and goes on with the message in its own conversation", async () => {
  const attempt = new Attempt();
  const session = await stopAtWork(attempt, (signal) => play(attempt, "waits", { signal }));
  const turn = { message: "[[play:edit]] Do this instead.", session: session.session };
  expect(await play(attempt, "waits", { turn })).toMatchObject({ outcome: "succeeded", summary: "All is said." });
  expect(attempt.events.filter(({ type }) => type === "session")).toEqual([session, session]);
  expect(attempt.read("loud.txt")).toBe("GOOD DAY\n");
});

test("it is held to as many turns, and as much money, as it may have", async () => {
  expect(await play(new Attempt(), "edit", { spec: { turns_max: 2 } })).toMatchObject({
    outcome: "failed",
    failure: "turn_cap",
    error: expect.stringMatching(/^it used up its turns/),
  });
  expect(await play(new Attempt(), "edit", { spec: { budget_usd: 0.000_1 } })).toMatchObject({
    outcome: "failed",
    failure: "budget_cap",
    error: expect.stringMatching(/^it used up its budget/),
  });
});

/** Each turn of it in the conversation that the first began. */
function sessionOf({ events }: Attempt): string {
  const session = events.find(({ type }) => type === "session");
  if (session?.type !== "session") throw new Error("no session was told");
  return session.session;
}

test("what it used up to a cap is all that its model told, and in a turn of its conversation only what is new", async () => {
  const attempt = new Attempt();
  const budget = { spec: { budget_usd: 0.002 } };
  const first = await play(attempt, "loop", budget);
  expect(first).toMatchObject({ failure: "budget_cap", usage: usedBy(11) });
  expect(first).not.toHaveProperty("partial");
  const turn = { message: "[[play:loop]] Go on.", session: sessionOf(attempt) };
  const second = await play(attempt, "loop", { ...budget, turn });
  expect(second).toMatchObject({ failure: "budget_cap", usage: usedBy(11) });
  expect(second.cost_usd).toBeCloseTo(first.cost_usd!, 10);
  expect(await play(attempt, "loop", { spec: { turns_max: 3 }, turn })).toMatchObject({
    ...{ failure: "turn_cap", usage: usedBy(111) },
  });
  const third = await play(attempt, "edit", { turn: { ...turn, message: "[[play:fails]] Go on." } });
  expect(third).toMatchObject({ outcome: "succeeded", usage: usedBy(2) });
  expect(third).not.toHaveProperty("partial");
});

test("what its helper used is its own", async () => {
  const end = await play(new Attempt(), "delegates");
  expect(end).toMatchObject({ outcome: "succeeded", usage: usedBy(111) });
  expect(end).not.toHaveProperty("partial");
});

test("one that is killed at work has told what its answers began with, and the next turn counts only its own", async () => {
  const attempt = new Attempt();
  await play(attempt, "edit");
  const [kill, session] = [new AbortController(), sessionOf(attempt)];
  const tell = ({ type }: AgentEvent) => {
    if (type === "tool") kill.abort();
  };
  attempt.events.length = 0;
  const waits = { message: "[[play:waits]] Wait.", session };
  const end = await play(attempt, "waits", { turn: waits, tell, kill: kill.signal, signal: kill.signal });
  expect(end).toMatchObject({ outcome: "interrupted", usage: null });
  const heard = attempt.events.filter(({ type }) => type === "usage");
  expect(heard).toEqual([{ type: "usage", usage: { ...usedBy(1), output: 1 }, cost_usd: null }]);
  const next = await play(attempt, "waits", { turn: { message: "[[play:fails]] Go on.", session } });
  expect(next).toMatchObject({ outcome: "succeeded", usage: usedBy(2) });
  expect(next).not.toHaveProperty("partial");
});

test("its conversation is summed up, and it goes on in it", async () => {
  const attempt = new Attempt();
  expect((await play(attempt, "edit")).outcome).toBe("succeeded");
  const turn = { message: "[[play:fails]] Go on.", session: sessionOf(attempt), compact: true } as const;
  const asked = model.answered.length;
  const end = await play(attempt, "edit", { turn });
  expect(end).toMatchObject({ outcome: "succeeded", summary: "It did not work, and I say so." });
  expect(end.usage).toEqual(usedBy(model.answered.length - asked));
  expect(attempt.log).toContain('"subtype":"compact_boundary"');
});

test("what its user's own settings allow is ruled on all the same, and so is what it would not ask about", async () => {
  const attempt = new Attempt();
  attempt.write("home/.claude/settings.json", JSON.stringify({ permissions: { allow: ["Bash", "Read", "Write"] } }));
  const asked: string[] = [];
  const permit = async ({ tool }: ToolCall) => {
    asked.push(tool);
    return { allow: true } as const;
  };
  expect((await play(attempt, "edit", { permit })).outcome).toBe("succeeded");
  expect(asked).toEqual(["Write", "Edit", "Bash"]);
});

test("one that bypasses asks nobody, and a system prompt of its own reaches its model", async () => {
  const attempt = new Attempt();
  const permit = async () => ({ allow: false, reason: "never" }) as const;
  const spec = { bypass: true, system: "[[play:fails]] That is how it is." };
  const end = await play(attempt, "edit", { permit, spec });
  expect(end).toMatchObject({ outcome: "succeeded", summary: "All is said." });
  expect(attempt.read("loud.txt")).toBe("GOOD DAY\n");
  expect(model.bodies.some((body) => body.includes("That is how it is."))).toBe(true);
});
