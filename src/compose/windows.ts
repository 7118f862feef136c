/** The sessions in which people watch attempts, and what they need of the machine. */

import { isAlive } from "../adapters/processes/identity.ts";
import { attemptStatus } from "../adapters/spool/adopt-runner.ts";
import { spoolAt } from "../adapters/spool/spool-files.ts";
import type { SpoolStatus } from "../adapters/spool/spool-status.ts";
import { tmuxEnv } from "../adapters/tmux/call-tmux.ts";
import { TMUX_MIN, tmuxVersion } from "../adapters/tmux/tmux-version.ts";
import { attachArguments, tmuxWindows } from "../adapters/tmux/tmux-windows.ts";
import type { AttemptName } from "../ports/runner.ts";
import { type Windows, windowOf } from "../ports/windows.ts";
import type { OpenProject, ProjectOptions } from "./project.ts";

export { tmuxVersion } from "../adapters/tmux/tmux-version.ts";

export function windowsOf(stateDir: string, env: NodeJS.ProcessEnv): Windows {
  return tmuxWindows({ stateDir, env, spoolDir: (attempt) => spoolAt(stateDir, attempt).dir });
}

/** How to show an attempt in this very terminal: a program's argv and whole environment; null when it has no session. */
export async function attachProgram(
  stateDir: string,
  attempt: AttemptName,
  env: NodeJS.ProcessEnv,
): Promise<{ argv: string[]; env: Record<string, string> } | null> {
  const found = await attachArguments(stateDir, windowOf(attempt), env);
  return found === null ? null : { argv: ["tmux", ...found], env: tmuxEnv(env) };
}

/** How an attempt's runner stands, as far as this machine knows. */
export function runnerStatus(stateDir: string, attempt: AttemptName): SpoolStatus["state"] {
  return attemptStatus(stateDir, attempt, { alive: isAlive }).state;
}

export interface HostProblem {
  code: string;
  message: string;
  hint: string;
}

/** Why the host that is asked for cannot hold an attempt on this machine, or null. */
export async function hostProblem(
  { configuration }: Pick<OpenProject, "configuration">,
  { host, env }: Pick<ProjectOptions, "host" | "env">,
): Promise<HostProblem | null> {
  if ((host ?? (await configuration()).config.host) !== "tmux") return null;
  const found = await tmuxVersion(env);
  if ("version" in found) return null;
  return { ...found, hint: `Install tmux ${TMUX_MIN.join(".")} or later, or run with --host process.` };
}
