import type { CheckRequest, HeldProcess } from "../../ports/processes.ts";
import { GATE, hold } from "./hold.ts";
import type { SuperviseLimits } from "./supervise.ts";

/** Starts `bash -c command`, held before the first word of the command. */
export function holdCheck(request: CheckRequest, limits: SuperviseLimits): Promise<HeldProcess> {
  const { command, cwd, env, logFile, timeoutMs, signal } = request;
  // On the command's own first line, so that the line numbers in bash's messages stay true.
  const argv = ["bash", "-c", GATE + command] as const;
  return hold({ argv, cwd, env, logFile, log: "new", stdin: "ignore" }, { timeoutMs, signal, limits });
}
