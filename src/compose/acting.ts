/** The ports of whoever acts, and not only looks: child processes, runners, new ids, bulk files. */

import { fileBlobs } from "../adapters/blobs/file-blobs.ts";
import { systemIds } from "../adapters/clock/system-ids.ts";
import { findProgram } from "../adapters/processes/find-program.ts";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import { missingProgram } from "../adapters/shell/missing-program.ts";
import type { EngineContext } from "../engine/context.ts";
import { agentPrograms } from "./agent-programs.ts";
import { childEnv } from "./child-env.ts";
import { type RunnersOptions, runnersOf } from "./runners.ts";

/** What only those use who change something. */
export type ActingPorts = Pick<
  EngineContext,
  "processes" | "runners" | "programs" | "ids" | "blobs" | "missingProgram"
>;

export function actingPorts(options: Omit<RunnersOptions, "processes">): ActingPorts {
  const processes = localProcesses();
  const runners = runnersOf({ ...options, processes });
  const { config, root, stateDir, project } = options;
  // What a program of the library does instead of the agents is its own.
  const programs =
    project.dispatch === undefined
      ? { programs: agentPrograms({ agents: config.agents, root, stateDir, processes, env: project.env }) }
      : {};
  const missing = async (command: string, dir: string): Promise<string | null> => {
    const path = childEnv(project.env)["PATH"] ?? "";
    return missingProgram(command, { dir, find: (program) => findProgram(program, dir, path) });
  };
  const files = { ids: systemIds(), blobs: fileBlobs(options.stateDir) };
  return { processes, runners, ...programs, ...files, missingProgram: missing };
}
