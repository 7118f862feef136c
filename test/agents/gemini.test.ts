/** The adapter `acp` and the real Gemini CLI, on a model that plays a script. */

import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { acpAgent } from "../../src/adapters/agent/acp-agent.ts";
import { type Model, type Turn, USAGE } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Attempt, type AttemptWish } from "../fixtures/agent-attempt.ts";
import { geminiCli } from "./acp-cli.ts";
import { stopAtWork, WAITS } from "./at-work.ts";

const shell = (command: string) => ({ name: "run_shell_command", input: { command, description: "run it" } });

const SCRIPTS: Record<string, Turn[]> = {
  edit: [
    { say: "I write it.", use: [{ name: "write_file", input: { file_path: "{cwd}/hello.txt", content: "hello\n" } }] },
    { use: [shell("tr a-z A-Z < hello.txt > loud.txt")] },
    { say: "All is said." },
  ],
  fails: [{ use: [shell("exit 7")] }, { say: "It did not work, and I say so." }],
  limited: [{ refuse: { status: 429, type: "RESOURCE_EXHAUSTED", message: "Resource has been exhausted." } }],
  exhausted: [{ refuse: { status: 429, type: "RESOURCE_EXHAUSTED", message: "You exceeded your daily quota." } }],
  refused: [{ refuse: { status: 401, type: "UNAUTHENTICATED", message: "API key not valid." } }],
  broken: [{ refuse: { status: 400, type: "INVALID_ARGUMENT", message: "That cannot be answered." } }],
  hangs: [{ hang: true }],
  waits: [{ use: [shell(WAITS)] }],
};

let model: Model;
beforeAll(async () => {
  model = await startTranslatedModel(SCRIPTS);
});
afterAll(() => model.close());

function play(
  attempt: Attempt,
  script: string,
  wish: AttemptWish & { model?: string; mode?: string; turns?: number } = {},
) {
  const { program, env } = geminiCli(attempt, model.url);
  const { mode = "default" } = wish;
  const spec = { adapter: "acp" as const, program, mode, model: wish.model ?? null, effort: null, auth: null };
  const steered = { ...spec, ...(wish.turns === undefined ? {} : { turns_max: wish.turns }) };
  return attempt.run(acpAgent(steered, attempt.processes), {
    prompt: `[[play:${script}]] Do what the script says.\n`,
    timeoutMs: 90_000,
    ...wish,
    env: { ...env, ...wish.env },
  });
}

/**
 * It keeps a conversation in a file that is named after the minute in which it began, and writes it anew when it takes it
 * up again in that very minute: it then knows nothing of it. So it began an hour earlier.
 */
function rename(attempt: Attempt): void {
  const home = join(attempt.base, "home/.gemini/tmp");
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const earlier = name.replace(/session-\d{4}-\d\d-\d\dT\d\d-\d\d-/, "session-2020-01-01T00-00-");
    if (earlier !== name) renameSync(join(home, name), join(home, earlier));
  }
}

test("it asks, writes and runs, and its session, its tools, its tokens and its summary are told", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "edit", { model: "gemini-2.5-pro" });
  expect({ end, log: end.outcome === "succeeded" ? "" : attempt.log }).toMatchObject({
    end: { outcome: "succeeded", error: null, summary: "All is said.", cost_usd: null },
  });
  expect(attempt.read("hello.txt")).toBe("hello\n");
  expect(attempt.read("loud.txt")).toBe("HELLO\n");
  // What came from its cache stands in its input.
  const input = USAGE.input_tokens + USAGE.cache_creation_input_tokens + USAGE.cache_read_input_tokens;
  expect(end.usage).toEqual({ input: 3 * input, output: 3 * USAGE.output_tokens, cache_read: null, cache_write: null });
  const file = join(attempt.workspace, "hello.txt");
  expect(attempt.events.filter(({ type }) => type !== "tool_ended")).toMatchObject([
    { type: "session", session: expect.stringMatching(/^[0-9a-f-]{36}$/), model: "gemini-2.5-pro" },
    { type: "text", text: "I write it." },
    { type: "tool", name: "edit", about: file },
    { type: "note", text: `it asked leave for edit ${file}: allowed (Allow)` },
    { type: "tool", name: "execute", about: "tr a-z A-Z < hello.txt > loud.txt" },
    { type: "note", text: "it asked leave for execute tr a-z A-Z < hello.txt > loud.txt: allowed (Allow)" },
    { type: "text", text: "All is said." },
    { type: "usage", usage: end.usage, cost_usd: null },
  ]);
  expect(attempt.events.filter(({ type }) => type === "tool_ended")).toHaveLength(2);
});

test("a tool that fails does not end the turn", async () => {
  expect(await play(new Attempt(), "fails")).toMatchObject({
    outcome: "succeeded",
    summary: "It did not work, and I say so.",
  });
});

test("a mode that it does not have is refused before anything is asked of the model", async () => {
  expect(await play(new Attempt(), "edit", { mode: "reckless" })).toMatchObject({
    outcome: "failed",
    error: 'it has no mode "reckless": it has default, autoEdit, yolo, plan',
  });
});

test("a limit at which it gives up is nobody's fault", async () => {
  const end = await play(new Attempt(), "exhausted");
  expect(end).toMatchObject({ outcome: "rate_limited", limit: { holds: "account", until: null } });
  expect(end.error).toContain("quota");
});

test("a limit at which it tries again is cut by the attempt's time, for it says nothing of it", async () => {
  expect(await play(new Attempt(), "limited", { timeoutMs: 15_000 })).toMatchObject({ outcome: "interrupted" });
});

test("a key that is refused is a failure that says what to do", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "refused");
  expect(end.outcome).toBe("failed");
  expect(end.error).toContain("the model's service does not accept its login");
});

test("a service that will not answer is a failure in its words", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "broken");
  expect(end).toMatchObject({ outcome: "failed" });
  expect(end.error).toContain("That cannot be answered.");
});

test("a model that never answers is cut by the attempt's time", async () => {
  expect(await play(new Attempt(), "hangs", { timeoutMs: 8_000 })).toMatchObject({ outcome: "interrupted" });
});

test("one that is stopped while a tool runs leaves nothing, and goes on with the message in its own conversation", async () => {
  const attempt = new Attempt();
  const session = await stopAtWork(attempt, (signal) => play(attempt, "waits", { signal }));
  rename(attempt);
  const before = attempt.events.length;
  const turn = { message: "[[play:edit]] Do this instead.", session: session.session };
  expect(await play(attempt, "waits", { turn })).toMatchObject({ outcome: "succeeded", summary: "All is said." });
  const later = attempt.events.slice(before);
  expect(later.filter(({ type }) => type === "session")).toEqual([session]);
  // Nothing of the first turn is told again.
  expect(later.filter(({ type }) => type === "tool")).toHaveLength(2);
  expect(later.filter(({ type }) => type === "text")).toEqual([
    { type: "text", text: "I write it." },
    { type: "text", text: "All is said." },
  ]);
  expect(attempt.read("loud.txt")).toBe("HELLO\n");
});

test("it is held to as many calls of tools as it may make", async () => {
  const attempt = new Attempt();
  expect(await play(attempt, "edit", { turns: 1 })).toMatchObject({
    outcome: "failed",
    failure: "turn_cap",
    error: "it used up its turns: 1 calls of tools",
  });
  expect(attempt.read("hello.txt")).toBe("hello\n");
  expect(attempt.read("loud.txt")).toBeNull();
});
