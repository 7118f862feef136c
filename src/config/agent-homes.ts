/** Where agents keep what their user may share with a home of their own: log-in, settings, skills. */

import type { AdapterName } from "./availability.ts";

export const SHARED_WORDS = ["log-in", "settings", "skills"] as const;
export type SharedWord = (typeof SHARED_WORDS)[number];

/**
 * - `link`: the same file; what the agent writes to it is the user's.
 * - `copy`: a copy for each attempt; what the agent does to it goes no further.
 * - `fields`: a copy of these keys of a JSON file.
 */
export type Sharing = "link" | "copy" | { fields: readonly string[] };

/** A file or a folder. `dir` is where it lies in a home, unless `variable` says so for the user's own. */
export interface SharedFile {
  dir: string;
  variable: string | null;
  file: string;
  how: Sharing;
}

export const SHARED_DEFAULT: string[] = ["log-in", "settings"];

type Shares = Readonly<Record<SharedWord, readonly SharedFile[]>>;

const below =
  (dir: string, variable: string | null) =>
  (how: Sharing, ...files: string[]): SharedFile[] =>
    files.map((file) => ({ dir, variable, file, how }));

const claude = below(".claude", "CLAUDE_CONFIG_DIR");
const codex = below(".codex", "CODEX_HOME");
const gemini = below(".gemini", null);
const config = below(".config", "XDG_CONFIG_HOME");
const data = below(".local/share", "XDG_DATA_HOME");

/** Claude Code's log-in on macOS is in the keychain of its user. */
const KEYCHAINS = below("", null)("link", "Library/Keychains");

/** Who is logged in stands in a file that also has all that its user ever did: only that is taken. */
const CLAUDE_ACCOUNT = below("", "CLAUDE_CONFIG_DIR")(
  { fields: ["oauthAccount", "hasCompletedOnboarding", "lastOnboardingVersion", "userID"] },
  ".claude.json",
);

const CLAUDE: Shares = {
  "log-in": [...claude("link", ".credentials.json"), ...CLAUDE_ACCOUNT, ...KEYCHAINS],
  settings: claude("copy", "settings.json", "CLAUDE.md"),
  skills: claude("copy", "skills", "commands", "agents"),
};

const CODEX: Shares = {
  "log-in": codex("link", "auth.json"),
  settings: codex("copy", "config.toml", "AGENTS.md"),
  skills: codex("copy", "skills", "prompts"),
};

const SHARES: Partial<Record<AdapterName, Shares>> = {
  claude: CLAUDE,
  "claude-acp": CLAUDE,
  codex: CODEX,
  "codex-acp": CODEX,
  gemini: {
    "log-in": gemini("link", "oauth_creds.json", "google_accounts.json"),
    settings: gemini("copy", "settings.json", "trustedFolders.json", "GEMINI.md", "installation_id"),
    skills: gemini("copy", "skills", "commands", "extensions"),
  },
  opencode: {
    "log-in": data("link", "opencode/auth.json"),
    settings: config("copy", "opencode/opencode.json", "opencode/opencode.jsonc", "opencode/AGENTS.md"),
    skills: config("copy", "opencode/skills", "opencode/agent", "opencode/command"),
  },
  goose: {
    "log-in": config("link", "goose/secrets.yaml"),
    settings: config("copy", "goose/config.yaml", "goose/.goosehints"),
    skills: config("copy", "goose/skills", "goose/recipes"),
  },
};

/** Where an adapter's program keeps its own; null for one of which that is not known. */
export function sharesOf(adapter: AdapterName): Shares | null {
  return SHARES[adapter] ?? null;
}

/** Whose home an agent works in unless its configuration says: its own, where it is known what it needs of the user's. */
export function homeOf(adapter: AdapterName): "own" | "shared" {
  return sharesOf(adapter) === null ? "shared" : "own";
}
