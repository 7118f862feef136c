import { hostname, userInfo } from "node:os";

/** Who acts on the command line: stands in every event. */
export function commandLineActor(env: NodeJS.ProcessEnv): string {
  return `cli:${userName(env)}@${hostname()}`;
}

/** A container may run under a user id that has no name. */
function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return env["USER"] || String(process.getuid?.() ?? "unknown");
  }
}
