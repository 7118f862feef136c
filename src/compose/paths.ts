/** Where lockstep keeps what is the user's own and no project's: the store, bulk files, locks. */

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** `$XDG_STATE_HOME/lockstep`; a relative value is ignored, as its specification asks. */
export function stateDirOf(env: NodeJS.ProcessEnv): string {
  const home = env["XDG_STATE_HOME"];
  const base = home !== undefined && isAbsolute(home) ? home : join(env["HOME"] || homedir(), ".local", "state");
  return join(base, "lockstep");
}

export function defaultStoreFile(stateDir: string): string {
  return join(stateDir, "store.db");
}

/** The folder of one project on this node; it holds where the project lies and what plain directories keep. */
export function projectStateDir(stateDir: string, project: string): string {
  return join(stateDir, "projects", project);
}

/** Held by the engine of a project for its life. */
export function engineLockFile(stateDir: string, project: string): string {
  return join(stateDir, "locks", `engine-${project}.db`);
}
