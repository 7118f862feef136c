import { expect, test } from "vitest";
import type { AgentConfig } from "../config/config.ts";
import { agentSpecOf, watchOf } from "./agent-spec.ts";

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
  home: "shared",
  share: [],
  sandbox: null,
  network: "on",
  readable: [],
  mcp: [],
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
  expect(agentSpecOf({ ...PLAIN, sandbox: "bwrap" }, "/p")).toMatchObject({ adapter: "command", sandbox: "bwrap" });
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

test("an agent over ACP is driven by that, whatever its name, with a watch", () => {
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
