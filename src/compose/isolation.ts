/** What an agent has for itself, as its configuration says. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { SHARED_WORDS, type SharedFile, sharesOf } from "../config/agent-homes.ts";
import type { AgentConfig } from "../config/config.ts";
import { agentFolder, homesName, temporaryName } from "../core/attempt/spool-name.ts";
import type { AttemptName, HomeShare, Isolation, OwnHome } from "../ports/runner.ts";
import { agentEnvOf, secretNamesOf } from "./agent-env.ts";

type Env = Readonly<NodeJS.ProcessEnv>;

export interface IsolationOptions {
  /** The agent's name, as configured. */
  name: string;
  config: AgentConfig;
  stateDir: string;
  env: Env;
}

/** Of one attempt. */
export function isolationOf(options: IsolationOptions, attempt: Omit<AttemptName, "task">): Isolation {
  const { name, config, stateDir, env } = options;
  const home = join(stateDir, "blobs", homesName(attempt), agentFolder(name));
  const readable = config.readable.map((path) => belowHome(path, env));
  const sandbox = { hidden: [userHome(env), stateDir], readable, network: config.network === "on" };
  return {
    home: hasOwnHome(config) ? ownHome(config, env, home) : null,
    temporary: isConfigured(config, "TMPDIR") ? null : temporaryOf(stateDir, attempt),
    secrets: secretNamesOf(config, env),
    sandbox: config.sandbox === null ? null : sandbox,
  };
}

/** The temporary directory of an attempt, whoever its agent is. */
export function temporaryOf(stateDir: string, { plan, slug, n }: Omit<AttemptName, "task">): string {
  const digest = createHash("sha256").update(`${plan}/${slug}-${n}`).digest("hex");
  return join(stateDir, "blobs", temporaryName(digest));
}

/** The environment of its runner and, but for its places, of the agent. */
export function runnerEnvOf(config: AgentConfig, env: Env): Record<string, string> {
  const given = agentEnvOf(config, env);
  if (!hasOwnHome(config)) return given;
  const dropped = new Set([...ELSEWHERE, ...sharedFiles(config).map(({ variable }) => variable)]);
  const kept = Object.entries(given).filter(([name]) => !dropped.has(name) || isConfigured(config, name));
  // What is in a sandbox writes nothing that others trust.
  return { ...(config.sandbox === null ? cachesOf(env) : {}), ...Object.fromEntries(kept) };
}

/** A home that the configuration names is the agent's, whatever lies in it. */
function hasOwnHome(config: AgentConfig): boolean {
  return config.home === "own" && !isConfigured(config, "HOME");
}

/** These would lead out of a home of its own. */
const ELSEWHERE = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "GIT_CONFIG_GLOBAL"];

/** What is fetched once and checked by whoever uses it: without these each task would fetch all of it anew. */
const CACHES: readonly (readonly [string, string])[] = [
  ["npm_config_cache", ".npm"],
  ["PIP_CACHE_DIR", ".cache/pip"],
  ["UV_CACHE_DIR", ".cache/uv"],
  ["COREPACK_HOME", ".cache/node/corepack"],
  ["GOMODCACHE", "go/pkg/mod"],
  ["RUSTUP_HOME", ".rustup"],
  ["PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"],
];

function cachesOf(env: Env): Record<string, string> {
  const places = CACHES.map(([name, dir]) => [name, join(userHome(env), dir)] as const);
  return Object.fromEntries(places.filter(([, dir]) => existsSync(dir)));
}

function ownHome(config: AgentConfig, env: Env, dir: string): OwnHome {
  const paths = config.share.filter((word) => word.startsWith("~/"));
  const shares = [
    ...sharedFiles(config).map((file) => shareOf(file, env)),
    ...paths.map((path): HomeShare => ({ from: belowHome(path, env), to: path.slice(2), how: "link" })),
  ];
  return { dir, shares, git: gitSettingsOf(env) };
}

function sharedFiles({ adapter, share }: AgentConfig): SharedFile[] {
  const known = sharesOf(adapter);
  return known === null ? [] : SHARED_WORDS.filter((word) => share.includes(word)).flatMap((word) => known[word]);
}

function shareOf({ dir, variable, file, how }: SharedFile, env: Env): HomeShare {
  const place = variable === null ? undefined : env[variable];
  const from = place !== undefined && isAbsolute(place) ? join(place, file) : join(userHome(env), dir, file);
  const to = join(dir, file);
  return typeof how === "string" ? { from, to, how } : { from, to, how: "fields", fields: [...how.fields] };
}

/** Where git looks for its user's settings, in its own order. */
function gitSettingsOf(env: Env): string[] {
  const named = env["GIT_CONFIG_GLOBAL"];
  if (named !== undefined && named !== "") return [named];
  const config = env["XDG_CONFIG_HOME"] || join(userHome(env), ".config");
  return [join(config, "git/config"), join(userHome(env), ".gitconfig")];
}

function belowHome(path: string, env: Env): string {
  return join(userHome(env), path.slice(2));
}

function userHome(env: Env): string {
  return env["HOME"] || homedir();
}

function isConfigured({ env, pass_env }: AgentConfig, name: string): boolean {
  return Object.hasOwn(env, name) || pass_env.includes(name);
}
