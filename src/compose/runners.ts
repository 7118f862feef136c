/** Which host holds the attempts of which agent. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { MCP_FILE } from "../adapters/agent/claude-mcp.ts";
import { ended } from "../adapters/agent/ended.ts";
import { inlineAgent } from "../adapters/agent/inline-agent.ts";
import { inlineHost } from "../adapters/agent/inline-host.ts";
import { noneAgent } from "../adapters/agent/none-agent.ts";
import { systemClock } from "../adapters/clock/system-clock.ts";
import { adoptRunner } from "../adapters/spool/adopt-runner.ts";
import { processHost } from "../adapters/spool/process-host.ts";
import { spoolAt } from "../adapters/spool/spool-files.ts";
import { windowedHost, withoutWindow } from "../adapters/tmux/windowed-host.ts";
import type { AgentConfig, ProjectConfig } from "../config/config.ts";
import { ASK_WAIT_MS } from "../core/attempt/ask-wait.ts";
import type { Processes } from "../ports/processes.ts";
import type { AttemptName, Isolation, RunnerHost, Runners } from "../ports/runner.ts";
import { windowOf } from "../ports/windows.ts";
import { unsetProblem } from "./agent-problems.ts";
import { agentSpecOf, watchOf } from "./agent-spec.ts";
import { isolationOf, runnerEnvOf, temporaryOf } from "./isolation.ts";
import type { ProjectOptions } from "./project.ts";
import { runnerProgram } from "./runner-program.ts";
import { windowsOf } from "./windows.ts";

/** How long a runner works on for an engine that it does not hear of (spec, section 6: an embedded store). */
const ORPHAN_MS = 4 * 3_600_000;

/** An agent that needs no configuration: it does nothing, so that only the checks run. */
const CHECKS_ONLY = "none";

export interface RunnersOptions {
  config: ProjectConfig;
  /** Absolute path of the directory in which the configuration stands. */
  root: string;
  stateDir: string;
  processes: Processes;
  project: Pick<ProjectOptions, "env" | "dispatch" | "host">;
}

export function runnersOf(options: RunnersOptions): Runners {
  const { config, project, stateDir, processes } = options;
  const ports = { processes, clock: systemClock };
  const inline = project.dispatch === undefined ? null : inlineHost(inlineAgent(project.dispatch));
  const windows = windowsOf(stateDir, project.env);
  const isShown = (project.host ?? config.host) === "tmux";
  const shown = (host: RunnerHost): RunnerHost => (isShown ? windowedHost(host, windows, systemClock) : host);
  return {
    host: (name) => inline ?? hostOf(name, configOf(config, name), options, shown),
    adopt: async (attempt) => {
      const runner = adoptRunner(stateDir, attempt, ports);
      // Whatever host is asked for now: the engine that started it may have shown it.
      if (runner !== null) return withoutWindow(runner, attempt, windows);
      await windows.close(windowOf(attempt));
      return null;
    },
    leavePlace: async (attempt) => {
      await removeLeft(temporaryOf(stateDir, attempt));
      // Its runner removes that itself, unless it was killed.
      await removeLeft(join(spoolAt(stateDir, attempt).dir, MCP_FILE));
    },
  };
}

async function removeLeft(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    // What another user made there, or still makes, is no reason to leave the attempt unsettled: `gc` comes to it later.
    // A spool that is no directory any more has nothing in it.
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "EBUSY", "ENOTEMPTY", "ENOTDIR"].includes(code)) throw error;
  }
}

function configOf({ agents }: ProjectConfig, name: string | null): AgentConfig | null {
  return name !== null && Object.hasOwn(agents, name) ? agents[name]! : null;
}

/** `shown` is what it takes to show the attempts of a host that has processes. */
function hostOf(
  name: string | null,
  agent: AgentConfig | null,
  options: RunnersOptions,
  shown: (host: RunnerHost) => RunnerHost,
): RunnerHost | null {
  if (agent === null) return name === CHECKS_ONLY ? inlineHost(noneAgent) : null;
  const spec = agentSpecOf(agent, options.root);
  if (spec === null) return inlineHost(noneAgent);
  const { stateDir, processes, project } = options;
  const unset = unsetProblem(name!, agent, project.env);
  // Whoever starts a run says so before; a plan may name the agent later.
  if (unset !== null) return inlineHost(async () => ended("failed", unset.message));
  const waits = { orphanMs: ORPHAN_MS, askWaitMs: ASK_WAIT_MS, watch: watchOf(agent) };
  const place = { name: name!, config: agent, stateDir, env: project.env };
  const isolation = (attempt: AttemptName): Isolation => isolationOf(place, attempt);
  const env = runnerEnvOf(agent, project.env);
  const program = runnerProgram();
  return shown(
    processHost({ stateDir, processes, clock: systemClock, program, agent: spec, env, isolation, ...waits }),
  );
}
