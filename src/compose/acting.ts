/** The ports of whoever acts, and not only looks: child processes, agents, new ids, bulk files. */

import { commandAgent } from "../adapters/agent/command-agent.ts";
import { inlineAgent } from "../adapters/agent/inline-agent.ts";
import { noneAgent } from "../adapters/agent/none-agent.ts";
import { fileBlobs } from "../adapters/blobs/file-blobs.ts";
import { systemIds } from "../adapters/clock/system-ids.ts";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import type { ProjectConfig } from "../config/config.ts";
import type { EngineContext } from "../engine/context.ts";
import type { Agent } from "../ports/agent.ts";
import type { Processes } from "../ports/processes.ts";
import type { ProjectOptions } from "./project.ts";

/** What only those use who change something. */
export type ActingPorts = Pick<EngineContext, "processes" | "agent" | "ids" | "blobs">;

export function actingPorts(config: ProjectConfig, stateDir: string, { dispatch }: ProjectOptions): ActingPorts {
  const processes = localProcesses();
  const ports = { processes, ids: systemIds(), blobs: fileBlobs(stateDir) };
  if (dispatch === undefined) return { ...ports, agent: (name) => agentNamed(name, config, processes) };
  const inline = inlineAgent(dispatch);
  return { ...ports, agent: () => inline };
}

/** An agent that needs no configuration: it does nothing, so that only the checks run. */
const CHECKS_ONLY = "none";

function agentNamed(name: string | null, { agents }: ProjectConfig, processes: Processes): Agent | null {
  const found = name === null || !Object.hasOwn(agents, name) ? undefined : agents[name];
  switch (found?.adapter) {
    case "command":
      return commandAgent(found.command, processes);
    case "none":
      return noneAgent();
    default:
      return name === CHECKS_ONLY && found === undefined ? noneAgent() : null;
  }
}
