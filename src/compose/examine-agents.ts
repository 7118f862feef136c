/** Looks at agents one by one, for `doctor --agents`: program, version, log-in, and a trial of each. */

import { homedir } from "node:os";
import { dirname } from "node:path";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import type { AdapterName } from "../config/availability.ts";
import type { AgentConfig } from "../config/config.ts";
import type { ClauseFinding, ProbeReport } from "../ports/agent-probe.ts";
import { type LogIn, logInOf } from "../probe/log-in.ts";
import { askVersion } from "../probe/version.ts";
import { agentEnvOf } from "./agent-env.ts";
import { kitOf, knownProgram, type ProgramsOptions, programOf, trialOf, tryProgram } from "./agent-programs.ts";
import { checkConfiguration } from "./configuration.ts";
import { findProject } from "./find-project.ts";
import { stateDirOf } from "./paths.ts";
import { ProjectUnusable } from "./unusable.ts";

/** Programs that are looked for where no agent is configured. */
const USUAL_PROGRAMS = ["claude", "codex", "gemini", "opencode", "goose"] as const satisfies readonly AdapterName[];
type UsualProgram = (typeof USUAL_PROGRAMS)[number];

export interface ExaminedAgent {
  name: string;
  adapter: AdapterName;
  /** Absolute path of its program; null: there is none of that name, or it is not looked for. */
  program: string | null;
  version: string | null;
  log_in: LogIn | null;
  /** Null: it was not tried; `why_not` says why. */
  clauses: ClauseFinding[] | null;
  /** How long the trial took. */
  ms: number | null;
  why_not: string | null;
}

export interface AgentsToExamine {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Names of configured agents, or of programs; empty: all. */
  names: readonly string[];
  signal: AbortSignal;
  /** Hears of each agent whose look begins. */
  began(name: string): void;
}

/** In the order of the configuration. `unknown`: names that are neither agents nor programs. */
export async function examineAgents(wish: AgentsToExamine): Promise<ExaminedAgent[] | { unknown: string[] }> {
  const { agents, root, isNamed } = await candidates(wish);
  const unknown = wish.names.filter((name) => !Object.hasOwn(agents, name));
  if (unknown.length > 0) return { unknown };
  const { env } = wish;
  const options = { agents, root, stateDir: stateDirOf(env), processes: localProcesses(), env };
  const chosen = Object.entries(agents).filter(([name]) => wish.names.length === 0 || wish.names.includes(name));
  return Promise.all(chosen.map(([name, config]) => examine(name, config, options, { ...wish, isNamed })));
}

type Candidates = Pick<ProgramsOptions, "agents" | "root"> & {
  /** Somebody said that these are agents; otherwise they were found by their names alone. */
  isNamed: boolean;
};

/** The configured agents; those that are named, or are found, where none is configured. */
async function candidates({ cwd, env, names }: AgentsToExamine): Promise<Candidates> {
  const { usualAgent } = await import("../config/read-config.ts");
  const { agents, root } = await configured(cwd);
  const usual = USUAL_PROGRAMS.map((name) => [name, usualAgent(name)] as const);
  const named = usual.filter(([name]) => names.includes(name) && !Object.hasOwn(agents, name));
  const isNoneConfigured = Object.keys(agents).length === 0 && names.length === 0;
  const found = isNoneConfigured ? usual.filter(([, config]) => programOf({ root, env }, config) !== null) : named;
  return { agents: { ...agents, ...Object.fromEntries(found) }, root, isNamed: !isNoneConfigured };
}

/** Outside a project nothing is configured. */
async function configured(cwd: string): Promise<{ agents: Record<string, AgentConfig>; root: string }> {
  try {
    const place = findProject(cwd);
    const { config } = await checkConfiguration(place);
    return { agents: config.agents, root: dirname(place.config_file) };
  } catch (error) {
    if (!(error instanceof ProjectUnusable && error.code === "no_project")) throw error;
    return { agents: {}, root: cwd };
  }
}

async function examine(
  name: string,
  config: AgentConfig,
  options: ProgramsOptions,
  { signal, began, isNamed }: AgentsToExamine & Pick<Candidates, "isNamed">,
): Promise<ExaminedAgent> {
  const { adapter } = config;
  const unknown = { name, adapter, program: null, version: null, log_in: null, clauses: null, ms: null };
  const usual = USUAL_PROGRAMS.find((each) => each === adapter) ?? null;
  if (usual === null)
    return { ...unknown, why_not: `what an agent of the adapter ${adapter} starts is its user's own` };
  const found = programOf(options, config);
  if (found === null) return { ...unknown, why_not: null };
  const log_in = await logInOf(usual, agentEnvOf(config, options.env), homedir());
  const known = { ...unknown, program: found.path, log_in };
  if (kitOf(config) === null) {
    const version = usual === "goose" ? await askVersion(usual, found.path, found.searched, options.processes) : null;
    return { ...known, version, why_not: whyNot(usual) };
  }
  began(name);
  const { version } = (await knownProgram(options, config, true)) ?? { version: null };
  // What was only found may be something else of that name; what somebody named is to be an agent.
  if (version === null && !isNamed) return { ...known, why_not: `it does not answer --version as ${adapter} does` };
  const probe = await reportOf(options, config, version, signal);
  if (probe === null) return { ...known, version, why_not: "it was broken off" };
  return { ...known, version, clauses: probe.clauses, ms: probe.ms, why_not: null };
}

/** Null: it was broken off. */
async function reportOf(
  options: ProgramsOptions,
  config: AgentConfig,
  version: string | null,
  signal: AbortSignal,
): Promise<ProbeReport | null> {
  if (version === null) return trialOf(options, config, signal);
  const tried = await tryProgram(options, config, signal);
  return signal.aborted ? null : (tried?.probe ?? null);
}

function whyNot(usual: UsualProgram): string {
  if (usual === "goose") return "there is no trial of goose";
  return "its command has arguments of its own, so it may be another program";
}
