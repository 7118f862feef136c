import { statSync } from "node:fs";
import type { AgentRequest } from "../../ports/agent.ts";
import type { CheckEnd, CommandRequest, Processes } from "../../ports/processes.ts";
import { followLines } from "./follow-lines.ts";

export interface Program {
  argv: readonly string[];
  /** The whole environment. */
  env: Record<string, string>;
  /** The prompt, or what an interrupted turn goes on with; or whoever talks with it. */
  stdin: CommandRequest["stdin"];
  /** Ends it; the request's own signal unless given. */
  signal?: AbortSignal;
  /** Of a longer line only the beginning is heard, bytes; 1 MiB unless given. */
  lineBytesMax?: number;
  /** Hears every line of both its outputs; `leftOut` is the number of bytes that a line lacks. */
  hear(line: string, leftOut: number): void;
}

/**
 * Runs an agent's program in its attempt's workspace: the outputs go by the kernel into the log file, and are read on from
 * there. Resolves when the program and all that it started are gone and every line has been heard.
 */
export async function runProgram(request: AgentRequest, processes: Processes, program: Program): Promise<CheckEnd> {
  const { brief, logFile, kill, contain } = request;
  const from = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const held = await processes.holdCommand({
    argv: program.argv,
    cwd: brief.workspace,
    env: program.env,
    stdin: program.stdin,
    timeoutMs: null,
    logFile,
    signal: program.signal ?? request.signal,
    kill,
    contain,
  });
  try {
    if (held.process) await request.started(held.process);
  } catch (error) {
    await held.abandon();
    throw error;
  }
  const end = held.release();
  const { hear, lineBytesMax } = program;
  const [exit] = await Promise.all([end, followLines({ file: logFile, from, ended: end, lineBytesMax, hear })]);
  return exit;
}
