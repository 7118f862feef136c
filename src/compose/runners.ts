/** Which host holds the attempts of which agent. */

import { inlineAgent } from "../adapters/agent/inline-agent.ts";
import { inlineHost } from "../adapters/agent/inline-host.ts";
import { noneAgent } from "../adapters/agent/none-agent.ts";
import { systemClock } from "../adapters/clock/system-clock.ts";
import { adoptRunner, processHost } from "../adapters/spool/process-host.ts";
import type { AgentConfig, ProjectConfig } from "../config/config.ts";
import type { Processes } from "../ports/processes.ts";
import type { RunnerHost, Runners } from "../ports/runner.ts";
import { agentEnvOf, agentSpecOf } from "./agent-spec.ts";
import type { ProjectOptions } from "./project.ts";
import { runnerProgram } from "./runner-program.ts";

/** How long a runner works on for an engine that it does not hear of (spec, section 6: an embedded store). */
const ORPHAN_MS = 4 * 3_600_000;

/** How long an agent that cannot go on waits for a person before its attempt ends (spec, section 6). */
const ASK_WAIT_MS = 600_000;

/** An agent that needs no configuration: it does nothing, so that only the checks run. */
const CHECKS_ONLY = "none";

export interface RunnersOptions {
  config: ProjectConfig;
  /** Absolute path of the directory in which the configuration stands. */
  root: string;
  stateDir: string;
  processes: Processes;
  project: Pick<ProjectOptions, "env" | "dispatch">;
}

export function runnersOf(options: RunnersOptions): Runners {
  const { config, project, stateDir, processes } = options;
  const ports = { processes, clock: systemClock };
  const inline = project.dispatch === undefined ? null : inlineHost(inlineAgent(project.dispatch));
  return {
    host: (name) => inline ?? hostOf(name, configOf(config, name), options),
    adopt: async (attempt) => adoptRunner(stateDir, attempt, ports),
  };
}

function configOf({ agents }: ProjectConfig, name: string | null): AgentConfig | null {
  return name !== null && Object.hasOwn(agents, name) ? agents[name]! : null;
}

function hostOf(name: string | null, agent: AgentConfig | null, options: RunnersOptions): RunnerHost | null {
  if (agent === null) return name === CHECKS_ONLY ? inlineHost(noneAgent) : null;
  const spec = agentSpecOf(agent, options.root);
  if (spec === null) return inlineHost(noneAgent);
  const { stateDir, processes, project } = options;
  const waits = { orphanMs: ORPHAN_MS, askWaitMs: ASK_WAIT_MS };
  const env = agentEnvOf(agent, project.env);
  return processHost({ stateDir, processes, clock: systemClock, program: runnerProgram(), agent: spec, env, ...waits });
}
