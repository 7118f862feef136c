/** The environment of an agent: a list of what it may have, never all but what it may not. */

import { acpAgentOf } from "../config/acp-agents.ts";
import { isGiven, isSecretName, isWithheld } from "../config/agent-variables.ts";
import type { AgentConfig } from "../config/config.ts";
import { type Expanded, expandReferences } from "../core/attempt/env-references.ts";

type Env = Readonly<NodeJS.ProcessEnv>;
type Wish = Pick<AgentConfig, "adapter" | "env" | "pass_env">;

/**
 * Of lockstep's environment what every program needs, the settings of the agent's own kind, and what `pass_env` names;
 * then its `env`, which comes before all, with its references resolved.
 */
export function agentEnvOf(config: Wish, env: Env): Record<string, string> {
  const { adapter } = config;
  const isNamed = namedBy(config);
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && (isGiven(adapter, entry[0]) || isNamed(entry[0])),
  );
  const own = Object.entries(config.env).map(([name, text]) => [name, expanded(text, env).value]);
  return { ...acpAgentOf(adapter)?.env, ...Object.fromEntries(passed), ...Object.fromEntries(own) };
}

/** Variables that are set and that its program would take for a log-in or a way to pay, but that it does not get. */
export function withheldFrom(config: Wish, env: Env): string[] {
  const isNamed = namedBy(config);
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== "";
  return Object.keys(env)
    .filter((name) => isSet(name) && isWithheld(config.adapter, name) && !isNamed(name))
    .filter((name) => !Object.hasOwn(config.env, name))
    .sort();
}

/** Each reference of its `env` to a variable that is not set. */
export function unsetReferences(config: Wish, env: Env): { variable: string; reference: string }[] {
  return Object.entries(config.env).flatMap(([variable, text]) =>
    expanded(text, env)
      .names.filter((name) => env[name] === undefined)
      .map((reference) => ({ variable, reference })),
  );
}

/** Each reference of its servers of tools to a variable that it does not have itself. */
export function missingForServers(
  config: Wish & Pick<AgentConfig, "mcp">,
  env: Env,
): { server: string; reference: string }[] {
  const own = agentEnvOf(config, env);
  return config.mcp.flatMap((server) =>
    Object.values("url" in server ? server.headers : server.env)
      .flatMap((text) => expanded(text, own).names)
      .filter((name) => own[name] === undefined)
      .map((reference) => ({ server: server.name, reference })),
  );
}

/**
 * Names in its environment whose values must never be written: those that say so themselves, and what was passed by name
 * or referred to unless its value is a plain word, a number or a path, which stand everywhere.
 */
export function secretNamesOf(config: Wish, env: Env): string[] {
  const isNamed = namedBy(config);
  return Object.entries(agentEnvOf(config, env)).flatMap(([name, value]) => {
    const written = Object.hasOwn(config.env, name) ? config.env[name]! : null;
    const names = written === null ? [] : expanded(written, env).names;
    if (written === null ? !isNamed(name) : names.length === 0 && !isSecretName(name)) return [];
    return [name, ...names].some(isSecretName) || !PLAIN.test(value) ? [name] : [];
  });
}

const PLAIN = /^(?:[A-Za-z_-]*|[\d.]*|[~.]{0,2}\/.*)$/;

function expanded(text: string, env: Env): Expanded {
  const set = Object.assign(Object.create(null) as Record<string, string | undefined>, env);
  return expandReferences(text, set);
}

/** By its name or by a glob of `pass_env`. Lockstep's own are nobody's to pass. */
function namedBy({ pass_env }: Wish): (name: string) => boolean {
  const patterns = pass_env.map((pattern) => new RegExp(`^${pattern.split("*").join(".*")}$`));
  return (name) => !name.startsWith("LOCKSTEP_") && patterns.some((pattern) => pattern.test(name));
}
