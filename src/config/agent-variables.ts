/** Which variables of lockstep's own environment an agent gets without being asked for, and which only look as if. */

import type { AdapterName } from "./availability.ts";

/** What a program needs to find its way on this machine: places, language, network. None of them is a secret. */
const BASE = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TMP", "TEMP"],
  ...["LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CI"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
  ...["GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "NIX_SSL_CERT_FILE"],
  ...["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"],
  ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS"],
  ...["JAVA_HOME", "GOPATH", "GOROOT", "GOPROXY", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PNPM_HOME"],
  ...["VOLTA_HOME", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "ANDROID_HOME", "DOTNET_ROOT", "MISE_DATA_DIR"],
  ...["npm_config_cache", "PIP_CACHE_DIR", "UV_CACHE_DIR", "YARN_CACHE_FOLDER"],
  ...["LD_LIBRARY_PATH", "LIBRARY_PATH", "PKG_CONFIG_PATH", "NIX_PATH", "LOCALE_ARCHIVE"],
  // The mark of a lockstep around this one: what runs inside a check or an agent of another ends with that.
  "LOCKSTEP_CHECK",
]);

/** The names of one kind of agent: its settings are passed, but not what logs in or changes who pays. */
const FAMILIES: Partial<Record<AdapterName, RegExp>> = {
  claude: /^(?:ANTHROPIC|CLAUDE)_/,
  "claude-acp": /^(?:ANTHROPIC|CLAUDE)_/,
  codex: /^(?:CODEX|OPENAI)_/,
  "codex-acp": /^(?:CODEX|OPENAI)_/,
  gemini: /^(?:GEMINI|GOOGLE)_/,
  opencode: /^OPENCODE_/,
  goose: /^GOOSE_/,
};

/** `MAX_OUTPUT_TOKENS` is a number; `CUSTOM_HEADERS` mostly hold a key. */
const SECRET = /KEY|TOKEN(?!S)|SECRET|PASSW|CREDENTIAL|AUTH|HEADERS/i;

/** With one of these in its environment an agent leaves its subscription and bills an account. */
const BILLING = /^(?:CLAUDE_CODE_USE_|GOOGLE_GENAI_USE_)/;

/** It needs no word in the configuration for an agent to get this variable. */
export function isGiven(adapter: AdapterName, name: string): boolean {
  if (BASE.has(name) || name.startsWith("LC_")) return true;
  return FAMILIES[adapter]?.test(name) === true && !isGuarded(name);
}

/** The agent would take this variable for its log-in or its way to pay, and does not get it unless it is named. */
export function isWithheld(adapter: AdapterName, name: string): boolean {
  return FAMILIES[adapter]?.test(name) === true && isGuarded(name);
}

/** A name that says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

function isGuarded(name: string): boolean {
  return SECRET.test(name) || BILLING.test(name);
}
