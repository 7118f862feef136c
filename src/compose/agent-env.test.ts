import { expect, test } from "vitest";
import type { AgentConfig } from "../config/config.ts";
import { agentEnvOf, secretNamesOf, unsetReferences, withheldFrom } from "./agent-env.ts";

type Wish = Pick<AgentConfig, "adapter" | "env" | "pass_env">;

const PLAIN: Wish = { adapter: "command", env: {}, pass_env: [] };

const ENV = {
  PATH: "/bin",
  LC_TIME: "de_DE.UTF-8",
  https_proxy: "http://proxy:3128",
  LOCKSTEP_TASK: "outer",
  LOCKSTEP_CHECK: "a:b",
  DATABASE_URL: "postgres://production",
  ANTHROPIC_API_KEY: "a",
  ANTHROPIC_AUTH_TOKEN: "t",
  ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  ANTHROPIC_CUSTOM_HEADERS: "x-api-key: h",
  CLAUDE_CODE_OAUTH_TOKEN: "c",
  CLAUDE_CODE_USE_BEDROCK: "1",
  CLAUDE_CODE_USE_VERTEX: "",
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: "9000",
  CODEX_API_KEY: "x",
  OPENAI_API_KEY: "o",
  OPENAI_BASE_URL: "http://127.0.0.1:2",
  GEMINI_API_KEY: "g",
  GOOGLE_CLOUD_PROJECT: "p",
  GOOGLE_GENAI_USE_VERTEXAI: "true",
  NPM_TOKEN: "n",
  CARGO_TOKEN: "r",
  NOTHING: undefined,
};

const BASE = {
  PATH: "/bin",
  LC_TIME: "de_DE.UTF-8",
  https_proxy: "http://proxy:3128",
  LOCKSTEP_CHECK: "a:b",
};

test("an agent gets what every program needs, what is named, and its own variables before all", () => {
  expect(agentEnvOf(PLAIN, ENV)).toEqual(BASE);
  const env = { LC_TIME: "C", EXTRA: "1", KEY: "is $NPM_TOKEN", PRICE: "5$$" };
  expect(agentEnvOf({ ...PLAIN, pass_env: ["*_TOKEN", "ABSENT", "LOCKSTEP_*"], env }, ENV)).toEqual({
    ...BASE,
    ANTHROPIC_AUTH_TOKEN: "t",
    CLAUDE_CODE_OAUTH_TOKEN: "c",
    NPM_TOKEN: "n",
    CARGO_TOKEN: "r",
    LC_TIME: "C",
    EXTRA: "1",
    KEY: "is n",
    PRICE: "5$",
  });
});

test("an agent gets the settings of its kind, but nothing that logs it in or changes who pays", () => {
  expect(agentEnvOf({ ...PLAIN, adapter: "claude" }, ENV)).toEqual({
    ...BASE,
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: "9000",
  });
  expect(agentEnvOf({ ...PLAIN, adapter: "codex" }, ENV)).toEqual({ ...BASE, OPENAI_BASE_URL: "http://127.0.0.1:2" });
  expect(agentEnvOf({ ...PLAIN, adapter: "gemini" }, ENV)).toEqual({
    ...BASE,
    GEMINI_CLI_NO_RELAUNCH: "true",
    GOOGLE_CLOUD_PROJECT: "p",
  });
  expect(agentEnvOf({ ...PLAIN, adapter: "claude", pass_env: ["ANTHROPIC_API_KEY"] }, ENV)).toMatchObject({
    ANTHROPIC_API_KEY: "a",
  });
});

test("what is withheld from an agent though it is set is known, unless it is named", () => {
  const claude: Wish = { ...PLAIN, adapter: "claude" };
  const all = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
  ];
  expect(withheldFrom(claude, ENV)).toEqual(all);
  const named = { ...claude, pass_env: ["ANTHROPIC_A*"], env: { CLAUDE_CODE_USE_BEDROCK: "0" } };
  expect(withheldFrom(named, ENV)).toEqual(["ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_OAUTH_TOKEN"]);
  expect(withheldFrom({ ...PLAIN, adapter: "gemini" }, ENV)).toEqual(["GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"]);
  expect(withheldFrom(PLAIN, ENV)).toEqual([]);
});

test("a reference to a variable that is not set is known", () => {
  const env = { A: "$NPM_TOKEN", B: "$ABSENT and $NOTHING", C: "$$ABSENT" };
  expect(unsetReferences({ ...PLAIN, env }, ENV)).toEqual([
    { variable: "B", reference: "ABSENT" },
    { variable: "B", reference: "NOTHING" },
  ]);
});

test("secrets are what is named like one, and what was passed or referred to, but for words, numbers and paths", () => {
  const env = { DB: "$DATABASE_URL", MY_KEY: "k", MODE: "test-1", WHERE: "$PLACE", WORD: "$NPM_TOKEN" };
  const wish: Wish = { ...PLAIN, pass_env: ["NPM_*", "PLACE", "STAGE", "PORT", "SESSION"], env };
  const more = { PLACE: "/home/anna", STAGE: "production", PORT: "5432", SESSION: "s3ss10n" };
  expect(secretNamesOf(wish, { ...ENV, ...more }).sort()).toEqual(["DB", "MY_KEY", "NPM_TOKEN", "SESSION", "WORD"]);
});
