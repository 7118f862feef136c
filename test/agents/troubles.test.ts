/** What each real command line makes of a model's service in trouble, and of being killed. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acpAgent } from "../../src/adapters/agent/acp-agent.ts";
import { claudeAgent } from "../../src/adapters/agent/claude-agent.ts";
import { codexAgent } from "../../src/adapters/agent/codex-agent.ts";
import type { Agent, AgentEnd } from "../../src/ports/agent.ts";
import { refusalOf, type Wire } from "../../src/probe/model/failures.ts";
import { type Model, startModel, type Turn } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Attempt, type AttemptWish } from "../fixtures/agent-attempt.ts";
import { bearersOf } from "../fixtures/left-processes.ts";
import { geminiCli } from "./acp-cli.ts";
import { WAITS } from "./at-work.ts";
import { claudeEnv, claudeProgram } from "./claude-cli.ts";
import { CODEX_MODEL, codexCommand, codexEnv } from "./codex-cli.ts";

/** How each model of a command line calls its shell, and the API in which it is asked. */
const AGENTS = {
  claude: { wire: "anthropic", shell: { name: "Bash", input: { command: WAITS, description: "wait" } } },
  codex: { wire: "responses", shell: { name: "exec_command", input: { cmd: WAITS, yield_time_ms: 600_000 } } },
  gemini: { wire: "gemini", shell: { name: "run_shell_command", input: { command: WAITS, description: "wait" } } },
} as const satisfies Record<string, { wire: Wire; shell: object }>;
type AgentName = keyof typeof AGENTS;

const RESETS_AT = 2_000_000_000;

function scriptsFor(name: AgentName): Record<string, Turn[]> {
  const { wire, shell } = AGENTS[name];
  const words = { retry_after_s: 1, resets_at: RESETS_AT };
  return Object.fromEntries(
    Object.entries({
      busy: { refuse: refusalOf(wire, "too_many", words), times: 2, say: "Recovered." },
      limited: { refuse: refusalOf(wire, "usage_limit", words) },
      cut: { cut: "Half a sent", times: 1 },
      cuts: { cut: "Half a sent" },
      silent: { hang: "after_headers" as const },
      waits: { use: [shell] },
    }).map(([script, turn]) => [`${name}-${script}`, [turn, { say: "All is said." }]]),
  );
}

let model: Model;
let translated: Model;
beforeAll(async () => {
  model = await startModel({ ...scriptsFor("claude"), ...scriptsFor("codex") });
  translated = await startTranslatedModel(scriptsFor("gemini"));
});
afterAll(async () => {
  await model.close();
  await translated.close();
});

function agentOf(name: AgentName, attempt: Attempt): { agent: Agent; env: Record<string, string> } {
  const { processes, base } = attempt;
  switch (name) {
    case "claude": {
      const env = { PATH: "/usr/bin:/bin", HOME: join(base, "home"), ...claudeEnv(model.url) };
      const program = [claudeProgram()];
      return { agent: claudeAgent({ adapter: "claude", program, model: null, effort: null }, processes), env };
    }
    case "codex": {
      const [program, env] = [codexCommand(model.url), { PATH: "/usr/bin:/bin", ...codexEnv(base) }];
      return { agent: codexAgent({ adapter: "codex", program, model: CODEX_MODEL, effort: null }, processes), env };
    }
    case "gemini": {
      const { program, env } = geminiCli(attempt, translated.url);
      const free = { mode: "default", model: "gemini-2.5-pro", effort: null, auth: null };
      return { agent: acpAgent({ adapter: "acp", program, ...free }, processes), env };
    }
  }
}

function play(name: AgentName, script: string, attempt: Attempt, wish: AttemptWish = {}): Promise<AgentEnd> {
  const { agent, env } = agentOf(name, attempt);
  const prompt = `[[play:${name}-${script}]] Do what the script says.\n`;
  return attempt.run(agent, { prompt, timeoutMs: 100_000, ...wish, env: { ...env, ...wish.env } });
}

describe.each(Object.keys(AGENTS) as AgentName[])("%s", (name) => {
  test("goes on after too many requests", async () => {
    const env = name === "claude" ? { CLAUDE_CODE_MAX_RETRIES: "3" } : {};
    expect(await play(name, "busy", new Attempt(), { env })).toMatchObject({
      outcome: "succeeded",
      summary: "Recovered.",
    });
  });

  test("whose model breaks off each time has not succeeded", async () => {
    expect(await play(name, "cuts", new Attempt())).toMatchObject({ outcome: "failed", failure: "cut" });
  });

  test("whose model says nothing after the first headers is ended by its time", async () => {
    const attempt = new Attempt();
    expect(await play(name, "silent", attempt, { timeoutMs: 8_000 })).toMatchObject({ outcome: "interrupted" });
    expect(bearersOf(`HOME=${join(attempt.base, "home")}`)).toEqual([]);
  });

  test("that is killed while a tool runs leaves nothing", async () => {
    const attempt = new Attempt();
    const [signal, kill] = [new AbortController(), new AbortController()];
    const ended = play(name, "waits", attempt, { signal: signal.signal, kill: kill.signal });
    const home = `HOME=${join(attempt.base, "home")}`;
    const tools = (): string[] => bearersOf(home).filter((line) => line.includes("tail -f"));
    await expect.poll(tools, { timeout: 60_000 }).not.toEqual([]);
    kill.abort();
    signal.abort();
    expect(await ended).toMatchObject({ outcome: "interrupted" });
    expect(bearersOf(home)).toEqual([]);
  });
});

test.each(["claude", "codex"] as const)("%s goes on after an answer that broke off once", async (name) => {
  expect(await play(name, "cut", new Attempt())).toMatchObject({ outcome: "succeeded" });
});

test("Gemini CLI does not ask again after an answer that broke off, and says so", async () => {
  expect(await play("gemini", "cut", new Attempt())).toMatchObject({ outcome: "failed", failure: "cut" });
});

test("a subscription's limit of Claude Code holds its account until the time that it tells", async () => {
  const end = await play("claude", "limited", new Attempt(), {
    env: { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "a-token-that-opens-nothing" },
  });
  const limit = { holds: "account", until: RESETS_AT * 1_000, known_from: "signal" };
  expect(end).toMatchObject({ outcome: "rate_limited", failure: "limit", limit });
});
