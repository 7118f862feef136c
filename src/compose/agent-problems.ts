/** What keeps an agent from working on this machine, and what its user may not expect, before anything starts. */

import { findProgram } from "../adapters/processes/find-program.ts";
import type { AgentConfig } from "../config/config.ts";
import { agentEnvOf, missingForServers, unsetReferences, withheldFrom } from "./agent-env.ts";

type Env = Readonly<NodeJS.ProcessEnv>;

export interface AgentProblem {
  code: string;
  message: string;
  hint: string;
}

/** Why an agent cannot work here as it is configured, or null. */
export async function agentProblem(name: string, config: AgentConfig, env: Env): Promise<AgentProblem | null> {
  const missing = unsetProblem(name, config, env) ?? programProblem(name, config, env);
  if (missing !== null || config.sandbox === null) return missing;
  const problem = await sandboxOfMachine(env);
  if (problem === null) return null;
  return {
    code: "no_sandbox",
    message: `agent ${name} works in a sandbox only: ${problem}`,
    hint: "Mend that, or take `sandbox` from the agent in lockstep.yaml.",
  };
}

/** One that is named by a path may lie in the attempt's own place: only its start shows whether it is there. */
function programProblem(name: string, config: AgentConfig, env: Env): AgentProblem | null {
  const program = config.command[0];
  if (program === undefined || /[/{]/.test(program)) return null;
  if (findProgram(program, process.cwd(), agentEnvOf(config, env)["PATH"] ?? "") !== null) return null;
  return {
    code: "no_program",
    message: `agent ${name}: there is no program ${program}`,
    hint: "Install it, give its path in command of the agent in lockstep.yaml, or put its directory on the PATH.",
  };
}

/** A variable of its own refers to one that is not set. */
export function unsetProblem(name: string, config: AgentConfig, env: Env): AgentProblem | null {
  const [first] = unsetReferences(config, env);
  if (first === undefined) return serverProblem(name, config, env);
  const { variable, reference } = first;
  return {
    code: "unset_variable",
    message: `agent ${name}: its variable ${variable} refers to ${reference}, which is not set`,
    hint: `Set ${reference} where lockstep runs, or change env of the agent in lockstep.yaml.`,
  };
}

function serverProblem(name: string, config: AgentConfig, env: Env): AgentProblem | null {
  const [first] = missingForServers(config, env);
  if (first === undefined) return null;
  const { server, reference } = first;
  return {
    code: "unset_variable",
    message: `agent ${name}: its server ${server} refers to ${reference}, which the agent does not have`,
    hint: `Name ${reference} in pass_env of the agent in lockstep.yaml, and set it where lockstep runs.`,
  };
}

/** What is set here and would log an agent in or have somebody else pay, and is not passed on: one line each agent. */
export function withheldNote(name: string, config: AgentConfig, env: Env): string | null {
  const names = withheldFrom(config, env);
  if (names.length === 0) return null;
  const [are, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  return `agent ${name}: ${names.join(", ")} ${are} set and not passed on; pass_env: [${names.join(", ")}] would pass ${them}`;
}

/** Why no program can run in a sandbox on this machine, or null. */
export async function sandboxOfMachine(env: Env): Promise<string | null> {
  const { sandboxProblem } = await import("../adapters/processes/sandbox.ts");
  return sandboxProblem(env["PATH"] ?? "");
}
