/** The adapter `claude` and the real command line, on a model that plays a script. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeAgent } from "../../src/adapters/agent/claude-agent.ts";
import type { ToolCall } from "../../src/core/policy/tool-rules.ts";
import type { AgentSpec } from "../../src/ports/agent.ts";
import { type Model, startModel, type Turn, USAGE } from "../../src/probe/model/model-server.ts";
import { Attempt, type AttemptWish } from "../fixtures/agent-attempt.ts";
import { stopAtWork, WAITS } from "./at-work.ts";
import { claudeEnv, claudeProgram } from "./claude-cli.ts";

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
};

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
  const events = attempt.events.filter(({ type }) => type !== "tool_ended");
  expect(events).toMatchObject([
    { type: "session", session: expect.stringMatching(/^[0-9a-f-]{36}$/), model: expect.stringContaining("sonnet") },
    { type: "text", text: "I write it." },
    { type: "tool", name: "Write", about: join(attempt.workspace, "hello.txt") },
    { type: "tool", name: "Edit", about: join(attempt.workspace, "hello.txt") },
    { type: "tool", name: "Bash", about: "tr a-z A-Z < hello.txt > loud.txt; pwd" },
    { type: "text", text: "All is said." },
    { type: "usage", usage: end.usage, cost_usd: end.cost_usd },
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
