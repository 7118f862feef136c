/** How each program is set up to speak to the scripted model, and how its tools are called. */

import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { ECHO } from "./mcp-server.ts";
import type { Wire } from "./model/failures.ts";
import { type Model, startModel, type Turn } from "./model/model-server.ts";
import type { ToolUse } from "./model/script.ts";
import { startTranslatedModel } from "./model/translated-model.ts";

/** The programs that can be tried. */
export const KIT_NAMES = ["claude", "codex", "gemini", "opencode"] as const;
export type KitName = (typeof KIT_NAMES)[number];

/**
 * What is told of the tokens of a turn: all of it; all of it by a service that has no word for what was written to a cache,
 * which is then input; its input and output alone, with all of its cache in the input; or nothing.
 */
export type UsageTold = "whole" | "unwritten" | "input_output" | "none";

export interface ProbeHome {
  /** Files below its home, by path, and the variables that it gets beside the usual ones. */
  files: Record<string, string>;
  env: Record<string, string>;
}

export interface Kit {
  wire: Wire;
  startModel(scripts: Record<string, Turn[]>): Promise<Model>;
  home(modelUrl: string): ProbeHome;
  /** The same for the turn in which its account has reached a limit. */
  limitedEnv(env: Record<string, string>): Record<string, string>;
  /** The model that it is told to use; null: its settings say. */
  model: string | null;
  shell(command: string): ToolUse;
  echo(text: string): ToolUse;
  asksLeave: boolean;
  takesServers: boolean;
  usage: UsageTold;
  /** A usage limit ends its turn, and it says so. */
  tellsLimit: boolean;
  /** When the limit is over is told by a signal. */
  tellsReset: boolean;
  /** Done between two turns of one conversation. */
  between(home: string): Promise<void>;
}

/** What the adapters hand on to every program: what is not handed on is not asked of it. */
const HANDED_ON = { asksLeave: true, takesServers: true };

/** Opens nothing: the model asks for none. */
const KEY = "a-key-that-opens-nothing";

const DESCRIPTION = "as the model was told";

const nothing = async (): Promise<void> => {};

const same = (env: Record<string, string>): Record<string, string> => env;

export const KITS: Record<KitName, Kit> = {
  claude: {
    wire: "anthropic",
    startModel,
    home: (url) => ({
      files: {},
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_TELEMETRY: "1",
      },
    }),
    // When its limits are over is told to whoever has a subscription.
    limitedEnv: ({ ANTHROPIC_API_KEY: _, ...env }) => ({ ...env, CLAUDE_CODE_OAUTH_TOKEN: KEY }),
    model: "sonnet",
    shell: (command) => ({ name: "Bash", input: { command, description: DESCRIPTION } }),
    echo: (text) => ({ name: `mcp__${ECHO.server}__${ECHO.tool}`, input: { text } }),
    ...HANDED_ON,
    usage: "whole",
    tellsLimit: true,
    tellsReset: true,
    between: nothing,
  },
  codex: {
    wire: "responses",
    startModel,
    home: (url) => ({ files: { ".codex/config.toml": codexConfig(url) }, env: { SCRIPTED_KEY: KEY } }),
    limitedEnv: same,
    model: null,
    // It must not come back before the command has ended.
    shell: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 600_000 } }),
    echo: (text) => ({ name: ECHO.tool, namespace: `mcp__${ECHO.server}`, input: { text } }),
    ...HANDED_ON,
    usage: "whole",
    tellsLimit: true,
    tellsReset: true,
    between: nothing,
  },
  gemini: {
    wire: "gemini",
    startModel: startTranslatedModel,
    home: (url) => ({
      files: { ".gemini/settings.json": JSON.stringify(GEMINI_SETTINGS) },
      env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: "true" },
    }),
    limitedEnv: same,
    // Left to itself it asks a model which model to ask.
    model: "gemini-2.5-pro",
    shell: (command) => ({ name: "run_shell_command", input: { command, description: DESCRIPTION } }),
    echo: (text) => ({ name: `mcp_${ECHO.server}_${ECHO.tool}`, input: { text } }),
    ...HANDED_ON,
    usage: "input_output",
    tellsLimit: true,
    tellsReset: false,
    between: age,
  },
  opencode: {
    wire: "chat",
    startModel: startTranslatedModel,
    home: (url) => ({
      files: {},
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(openCodeConfig(url)),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      },
    }),
    limitedEnv: same,
    model: null,
    shell: (command) => ({ name: "bash", input: { command, description: DESCRIPTION } }),
    echo: (text) => ({ name: `${ECHO.server}_${ECHO.tool}`, input: { text } }),
    ...HANDED_ON,
    usage: "unwritten",
    tellsLimit: true,
    tellsReset: false,
    between: nothing,
  },
};

function codexConfig(url: string): string {
  return [
    // A model that it brings with it, and that has the plain tools.
    'model = "gpt-5.5"',
    'model_provider = "scripted"',
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${url}/v1"`,
    'env_key = "SCRIPTED_KEY"',
    'wire_api = "responses"',
    "",
  ].join("\n");
}

const GEMINI_SETTINGS = {
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
};

function openCodeConfig(url: string): object {
  const model = { limit: { context: 200_000, output: 8_000 }, cost: { input: 3, output: 15 }, tool_call: true };
  return {
    autoupdate: false,
    share: "disabled",
    model: "scripted/one",
    small_model: "scripted/one",
    enabled_providers: ["scripted"],
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${url}/v1`, apiKey: KEY },
        models: { one: model },
      },
    },
    permission: { bash: "ask", edit: "ask" },
  };
}

/**
 * Gemini CLI keeps a conversation in a file that is named after the minute in which it began, and loses it when it is taken
 * up again in that very minute. So it is made to have begun earlier.
 */
async function age(home: string): Promise<void> {
  const dir = join(home, ".gemini/tmp");
  for (const name of await readdir(dir, { recursive: true }).catch(noneThere)) {
    const earlier = name.replace(/session-\d{4}-\d\d-\d\dT\d\d-\d\d-/, "session-2020-01-01T00-00-");
    if (earlier !== name) await rename(join(dir, name), join(dir, earlier));
  }
}

function noneThere(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
