import type { AgentRequest } from "../../ports/agent.ts";
import type { CheckEnd, CommandOutput, CommandRequest, Processes } from "../../ports/processes.ts";
import { LineSplitter } from "./line-splitter.ts";
import { redactedOutput } from "./transcript.ts";

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
  /** Hears every line of both its outputs as it was printed; `leftOut` is the number of bytes that a line lacks. */
  hear(line: string, leftOut: number): void;
}

/**
 * Runs an agent's program in its attempt's workspace: each line is heard as it comes, and stands in the log file without
 * its secrets. Resolves when the program and all that it started are gone and every line has been heard.
 */
export async function runProgram(request: AgentRequest, processes: Processes, program: Program): Promise<CheckEnd> {
  const { brief, logFile, kill, contain, sandbox } = request;
  const held = await processes.holdCommand({
    argv: program.argv,
    cwd: brief.workspace,
    env: program.env,
    stdin: program.stdin,
    timeoutMs: null,
    logFile,
    output: outputOf(program, redactedOutput(request)),
    signal: program.signal ?? request.signal,
    kill,
    contain,
    ...(sandbox === undefined ? {} : { sandbox }),
  });
  try {
    if (held.process) await request.started(held.process);
  } catch (error) {
    await held.abandon();
    throw error;
  }
  return held.release();
}

function outputOf({ hear, lineBytesMax }: Program, written: CommandOutput): CommandOutput {
  const lines = new LineSplitter(hear, lineBytesMax);
  return {
    take: (bytes) => {
      lines.take(bytes);
      return written.take(bytes);
    },
    end: () => {
      lines.end();
      return written.end();
    },
  };
}
