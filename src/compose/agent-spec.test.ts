import { expect, test } from "vitest";
import type { AgentConfig } from "../config/config.ts";
import { agentEnvOf, agentSpecOf, watchOf } from "./agent-spec.ts";

const PLAIN: AgentConfig = {
  adapter: "command",
  command: ["bash", "-c", "./work.sh"],
  script: null,
  model: null,
  role: null,
  effort: null,
  mode: null,
  auth: null,
  system: null,
  turns: null,
  budget_usd: null,
  tools: null,
  bypasses_permissions: false,
  skills: [],
  timeout_ms: null,
  first_output_ms: null,
  silence_ms: null,
  account: null,
  jobs: null,
  pid_namespace: true,
  probe: true,
  env: {},
  pass_env: [],
  mcp: [],
};

const ENV = {
  PATH: "/bin",
  LANG: "C.UTF-8",
  LOCKSTEP_TASK: "outer",
  ANTHROPIC_API_KEY: "a",
  ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  CLAUDE_CODE_OAUTH_TOKEN: "c",
  CODEX_API_KEY: "x",
  OPENAI_API_KEY: "o",
  NPM_TOKEN: "n",
  NOTHING: undefined,
};

test("a runner is told an absolute script, a whole command line, and nothing of an agent that does nothing", () => {
  expect(agentSpecOf(PLAIN, "/p")).toEqual({ adapter: "command", argv: ["bash", "-c", "./work.sh"] });
  expect(agentSpecOf({ ...PLAIN, adapter: "none", command: [] }, "/p")).toBeNull();
  expect(agentSpecOf({ ...PLAIN, pid_namespace: false }, "/p")).toMatchObject({
    adapter: "command",
    pid_namespace: false,
  });
  const mcp = [{ name: "notes", url: "http://127.0.0.1:1/mcp", headers: {} }];
  expect(agentSpecOf({ ...PLAIN, adapter: "codex", mcp }, "/p")).toMatchObject({ adapter: "codex", mcp });
  const scripted: AgentConfig = { ...PLAIN, adapter: "scripted", command: [], script: "plans/agent.json" };
  expect(agentSpecOf(scripted, "/p")).toEqual({ adapter: "scripted", script: "/p/plans/agent.json" });
  expect(agentSpecOf({ ...scripted, script: "/elsewhere/a.json" }, "/p")).toEqual({
    adapter: "scripted",
    script: "/elsewhere/a.json",
  });
  const claude: AgentConfig = { ...PLAIN, adapter: "claude", command: ["claude"], model: "sonnet", effort: "low" };
  expect(agentSpecOf(claude, "/p")).toEqual({
    adapter: "claude",
    program: ["claude"],
    model: "sonnet",
    effort: "low",
  });
  expect(agentSpecOf({ ...PLAIN, adapter: "codex", command: ["codex"] }, "/p")).toEqual({
    adapter: "codex",
    program: ["codex"],
    model: null,
    effort: null,
  });
  const open: AgentConfig = { ...PLAIN, adapter: "opencode", command: ["opencode"], model: "lab/one", effort: "high" };
  expect(agentSpecOf(open, "/p")).toEqual({
    adapter: "opencode",
    program: ["opencode"],
    model: "lab/one",
    effort: "high",
  });
});

test("an agent gets nothing that looks like a secret unless it is named, and its own variables before all", () => {
  expect(agentEnvOf(PLAIN, ENV)).toEqual({
    PATH: "/bin",
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  });
  const own = { ...PLAIN, pass_env: ["NPM_TOKEN", "ABSENT"], env: { LANG: "C", EXTRA: "1" } };
  expect(agentEnvOf(own, ENV)).toEqual({
    PATH: "/bin",
    LANG: "C",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    NPM_TOKEN: "n",
    EXTRA: "1",
  });
});

test("an agent gets its own login, and no other's", () => {
  expect(agentEnvOf({ ...PLAIN, adapter: "claude", command: ["claude"] }, ENV)).toEqual({
    PATH: "/bin",
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    ANTHROPIC_API_KEY: "a",
    CLAUDE_CODE_OAUTH_TOKEN: "c",
  });
  expect(agentEnvOf({ ...PLAIN, adapter: "codex", command: ["codex"] }, ENV)).toEqual({
    PATH: "/bin",
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    CODEX_API_KEY: "x",
    OPENAI_API_KEY: "o",
  });
  const open: AgentConfig = { ...PLAIN, adapter: "opencode", command: ["opencode"] };
  expect(agentEnvOf(open, { ...ENV, OPENCODE_API_KEY: "z" })).toMatchObject({ OPENCODE_API_KEY: "z" });
  expect(agentEnvOf(open, ENV)).not.toHaveProperty("CODEX_API_KEY");
});

test("an agent over ACP is driven by that, whatever its name, with its own login, its own settings and a watch", () => {
  const gemini: AgentConfig = {
    ...PLAIN,
    adapter: "gemini",
    command: ["gemini", "--acp"],
    mode: "default",
    auth: "key",
  };
  expect(agentSpecOf(gemini, "/p")).toEqual({
    adapter: "acp",
    program: ["gemini", "--acp"],
    mode: "default",
    model: null,
    effort: null,
    auth: "key",
  });
  const env = { PATH: "/bin", GEMINI_API_KEY: "g", ANTHROPIC_API_KEY: "a" };
  expect(agentEnvOf(gemini, env)).toEqual({ PATH: "/bin", GEMINI_API_KEY: "g", GEMINI_CLI_NO_RELAUNCH: "true" });
  expect(agentEnvOf({ ...gemini, env: { GEMINI_CLI_NO_RELAUNCH: "false" } }, env)).toMatchObject({
    GEMINI_CLI_NO_RELAUNCH: "false",
  });
  expect(agentEnvOf({ ...gemini, adapter: "acp" }, env)).toEqual({ PATH: "/bin" });
  expect(watchOf(gemini)).toEqual({ first_output_ms: 300_000, silence_ms: 1_800_000 });
  expect(watchOf({ ...gemini, silence_ms: 1_000 })).toEqual({ first_output_ms: 300_000, silence_ms: 1_000 });
  expect(watchOf(PLAIN)).toEqual({ first_output_ms: null, silence_ms: null });
});

test("how an agent is steered goes to its runner; what is not said is left out", () => {
  const tools = { deny: ["run(rm *)"], ask: [], allow: [], otherwise: "allow" } as const;
  const steered: AgentConfig = {
    ...PLAIN,
    adapter: "claude",
    command: ["claude"],
    system: "Be brief.",
    turns: 30,
    budget_usd: 2.5,
    tools,
  };
  expect(agentSpecOf(steered, "/p")).toEqual({
    adapter: "claude",
    program: ["claude"],
    model: null,
    effort: null,
    system: "Be brief.",
    turns_max: 30,
    budget_usd: 2.5,
    tools,
  });
  expect(agentSpecOf({ ...PLAIN, adapter: "claude", bypasses_permissions: true }, "/p")).toMatchObject({
    bypass: true,
  });
});
