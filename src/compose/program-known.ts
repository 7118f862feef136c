/** What is known of the program of an agent without starting it, and what a person's word about it changes. */

import { localProcesses } from "../adapters/processes/local-processes.ts";
import type { ProgramsOptions } from "./agent-programs.ts";
import { knownProgram, probeOf, releaseProgram } from "./agent-programs.ts";
import { stateDirOf } from "./paths.ts";

type Asking = Pick<ProgramsOptions, "agents" | "root" | "env">;

/** Its version and how the trial of that went; null: its file as it is was never looked at. */
export async function programKnown(
  asking: Asking,
  name: string,
): Promise<{ version: string | null; probe: "passed" | "failed" | null } | null> {
  const known = await knownProgram(whole(asking), asking.agents[name] ?? null, false);
  if (known === null) return null;
  const probe = probeOf(known);
  if (probe === null) return { version: known.version, probe: null };
  const isBroken = probe.clauses.some(({ result }) => result === "broken");
  return { version: known.version, probe: isBroken ? "failed" : "passed" };
}

/** The agent may start though its program failed its trial, until that is replaced. */
export async function letStart(asking: Asking, name: string): Promise<void> {
  const config = asking.agents[name];
  if (config !== undefined) await releaseProgram(whole(asking), config);
}

function whole(asking: Asking): ProgramsOptions {
  return { ...asking, stateDir: stateDirOf(asking.env), processes: localProcesses() };
}
