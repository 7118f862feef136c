/** The adapter `opencode-acp` and the real OpenCode, on a model that plays a script. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { acpAgent } from "../../src/adapters/agent/acp-agent.ts";
import type { Model, Turn } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Attempt, type AttemptWish } from "../fixtures/agent-attempt.ts";
import { openCodeCli } from "./acp-cli.ts";
import { stopAtWork, WAITS } from "./at-work.ts";

const shell = (command: string) => ({ name: "bash", input: { command, description: "run it" } });

const SCRIPTS: Record<string, Turn[]> = {
  edit: [
    { say: "I write it.", use: [{ name: "write", input: { filePath: "{cwd}/hello.txt", content: "hello\n" } }] },
    { use: [shell("tr a-z A-Z < hello.txt > loud.txt")] },
    { say: "All is said." },
  ],
  waits: [{ use: [shell(WAITS)] }],
};

let model: Model;
beforeAll(async () => {
  model = await startTranslatedModel(SCRIPTS);
});
afterAll(() => model.close());

function play(attempt: Attempt, script: string, wish: AttemptWish & { model?: string } = {}) {
  const { program, env } = openCodeCli(attempt, model.url);
  const spec = { adapter: "acp" as const, program, mode: null, model: wish.model ?? null, effort: null, auth: null };
  return attempt.run(acpAgent(spec, attempt.processes), {
    prompt: `[[play:${script}]] Do what the script says.\n`,
    timeoutMs: 90_000,
    ...wish,
    env: { ...env, ...wish.env },
  });
}

test("it asks, writes and runs, and its session, its tools, its price and its summary are told", async () => {
  const attempt = new Attempt();
  const end = await play(attempt, "edit", { model: "scripted/two" });
  expect({ end, log: end.outcome === "succeeded" ? "" : attempt.log }).toMatchObject({
    // It tells the tokens of its last request only, and so none are told.
    end: { outcome: "succeeded", error: null, summary: "All is said.", usage: null },
  });
  expect(end.cost_usd).toBeGreaterThan(0);
  const file = join(attempt.workspace, "hello.txt");
  expect(attempt.events.filter(({ type }) => type !== "tool_ended")).toMatchObject([
    { type: "session", session: expect.stringMatching(/^ses_/), model: "scripted/two" },
    { type: "text", text: "I write it." },
    { type: "tool", name: "edit", about: file },
    { type: "note", text: `it asked leave for edit ${file}: allowed (Allow once)` },
    { type: "note", text: "it asked for fs/write_text_file, which it does itself or not at all" },
    { type: "tool", name: "execute", about: "tr a-z A-Z < hello.txt > loud.txt" },
    { type: "note", text: "it asked leave for execute tr a-z A-Z < hello.txt > loud.txt: allowed (Allow once)" },
    { type: "text", text: "All is said." },
  ]);
  expect(attempt.read("hello.txt")).toBe("hello\n");
  expect(attempt.read("loud.txt")).toBe("HELLO\n");
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

test("the price that it tells in a conversation of before is of all of it, and so none is told", async () => {
  const attempt = new Attempt();
  const first = await play(attempt, "edit");
  expect(first.cost_usd).toBeGreaterThan(0);
  const session = attempt.events.find((event) => event.type === "session")!;
  const turn = { message: "[[play:edit]] Once more.", session: session.session };
  expect(await play(attempt, "edit", { turn })).toMatchObject({ outcome: "succeeded", cost_usd: null });
  const prices = [...attempt.log.matchAll(/"cost":\{"amount":([\d.]+)/g)].map(([, amount]) => Number(amount));
  expect(prices).toEqual([first.cost_usd, expect.closeTo(2 * first.cost_usd!, 10)]);
});
