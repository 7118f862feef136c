/** Whether an agent's program is logged in, as far as that can be told without asking its service. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { KitName } from "./kits.ts";

export type LogInState = "logged in" | "not logged in" | "cannot be told";

export interface LogIn {
  state: LogInState;
  /** By what it was told. */
  by: string;
}

interface Place {
  /** Variables any of which is a log-in of its own. */
  keys: readonly string[];
  /** Variables with which it logs in elsewhere. */
  elsewhere: readonly string[];
  /** The file in which it keeps its log-in. */
  file(env: Record<string, string>, home: string): string;
  /** A file of its settings, in which it may be told to log in by other means. */
  settings: ((env: Record<string, string>, home: string) => string) | null;
  /** It may keep it where nobody can look. */
  hides: boolean;
}

const PLACES: Record<KitName, Place> = {
  claude: {
    keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    elsewhere: ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"],
    file: (env, home) => join(env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), ".credentials.json"),
    settings: (env, home) => join(env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "settings.json"),
    // The keychain.
    hides: process.platform === "darwin",
  },
  codex: {
    keys: ["CODEX_API_KEY"],
    elsewhere: [],
    file: (env, home) => join(env["CODEX_HOME"] ?? join(home, ".codex"), "auth.json"),
    settings: (env, home) => join(env["CODEX_HOME"] ?? join(home, ".codex"), "config.toml"),
    hides: false,
  },
  gemini: {
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    elsewhere: ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT"],
    file: (_env, home) => join(home, ".gemini/oauth_creds.json"),
    settings: null,
    hides: false,
  },
  opencode: {
    keys: [],
    elsewhere: [],
    file: (env, home) => join(env["XDG_DATA_HOME"] ?? join(home, ".local/share"), "opencode/auth.json"),
    settings: null,
    // Any of a hundred providers, by a key of its own or without one.
    hides: true,
  },
};

/** Less than this is an empty document. */
const LOG_IN_BYTES_MIN = 8;

/** `env`: that of the agent. Its files are looked at from outside only: what stands in them is nobody's business. */
export async function logInOf(name: KitName | "goose", env: Record<string, string>, home: string): Promise<LogIn> {
  if (name === "goose") return { state: "cannot be told", by: "it keeps its log-in in the machine's keyring" };
  const { keys, elsewhere, file, settings, hides } = PLACES[name];
  const key = keys.find((variable) => env[variable]);
  if (key !== undefined) return { state: "logged in", by: `by ${key}` };
  const other = elsewhere.find((variable) => env[variable]);
  if (other !== undefined) return { state: "cannot be told", by: `${other} is set` };
  const own = env["HOME"] ?? home;
  const kept = file(env, own);
  if ((await sizeOf(kept)) >= LOG_IN_BYTES_MIN) return { state: "logged in", by: `by ${kept}` };
  if (hides) return { state: "cannot be told", by: `there is no ${kept}, and it may log in by other means` };
  const told = settings?.(env, own);
  if (told !== undefined && (await sizeOf(told)) > 0)
    return { state: "cannot be told", by: `there is no ${kept}, but ${told} may say otherwise` };
  return { state: "not logged in", by: `there is no ${kept}, and none of ${keys.join(", ")} is set` };
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return 0;
    throw error;
  }
}
