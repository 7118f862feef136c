import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expandArgv } from "../../core/attempt/expand-argv.ts";
import type { Agent, AgentEnd, AgentRequest } from "../../ports/agent.ts";
import type { CheckEnd, Processes } from "../../ports/processes.ts";
import { valuesOf } from "./command-agent.ts";
import { cutOff, ended } from "./ended.ts";
import { ownFolder } from "./own-folder.ts";
import { plainText } from "./plain-text.ts";
import { readScript, type Script, type Step, stepsFor } from "./script.ts";
import { playFileStep } from "./script-files.ts";
import { Transcript } from "./transcript.ts";

/** A script is written by hand, or by a small program; it is read anew for each attempt. */
const SCRIPT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Plays a script of steps instead of an agent, for demonstrations and tests: the same script does the same things. Its
 * terminal event is the step `done` or `fail`, or the end of its list, which has succeeded. It has no process of its own,
 * so `started` is never called; commands of `run` see the task's values as `LOCKSTEP_*` variables.
 */
export function scriptedAgent(file: string, processes: Processes): Agent {
  return {
    run: async (request) => {
      const transcript = new Transcript(request);
      transcript.write("");
      const script = await loadScript(file);
      if (typeof script === "string") return ended("failed", `the script ${file} ${script}`);
      const { attempt, task } = request.brief;
      const steps = stepsFor(script, attempt, task.id);
      if (steps === null) return ended("failed", `the script ${file} says nothing of ${attempt}, ${task.id} or *`);
      try {
        return await new Play(request, processes, transcript).play(steps);
      } finally {
        transcript.end();
      }
    },
  };
}

/** The script, or what is wrong with it. */
async function loadScript(file: string): Promise<Script | string> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > SCRIPT_BYTES_MAX) return `is larger than ${SCRIPT_BYTES_MAX} bytes`;
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === "ENOENT" ? "does not exist" : `cannot be read: ${message}`;
  }
  const read = readScript(text);
  return read.ok ? read.script : read.problems.join("; ");
}

/** One attempt at its script. */
class Play {
  private readonly request: AgentRequest;
  private readonly processes: Processes;
  private readonly transcript: Transcript;
  private used: Pick<AgentEnd, "usage" | "cost_usd"> = { usage: null, cost_usd: null };

  constructor(request: AgentRequest, processes: Processes, transcript: Transcript) {
    this.request = request;
    this.transcript = transcript;
    this.processes = processes;
  }

  async play(steps: readonly Step[]): Promise<AgentEnd> {
    const { signal } = this.request;
    for (const [index, step] of steps.entries()) {
      const end = signal.aborted ? null : await this.step(step, index);
      if (signal.aborted) return { ...cutOff("", false), ...this.used };
      if (end !== null) return { ...end, ...this.used };
    }
    return { ...ended("succeeded", null), ...this.used };
  }

  /** The end of the attempt where this step is one. */
  private async step(step: Step, index: number): Promise<AgentEnd | null> {
    const { tell, brief } = this.request;
    switch (step.do) {
      case "say":
        tell({ type: "text", text: plainText(step.text) });
        this.transcript.write(`${step.text}\n`);
        return null;
      case "progress":
        tell({ type: "progress", text: plainText(step.text) });
        return null;
      case "usage":
        this.used = { usage: step.usage, cost_usd: step.cost_usd };
        tell({ type: "usage", ...this.used, usage: step.usage });
        return null;
      case "wait":
        await sleep(step.ms, undefined, { signal: this.request.signal }).catch(whenAborted);
        return null;
      case "run":
        return this.run(step.command, index);
      case "done":
        return ended("succeeded", null, step.summary);
      case "fail":
        return ended("failed", step.error);
      default: {
        tell({ type: "tool", name: step.do, about: plainText(step.path) });
        this.transcript.write(`[${step.do} ${step.path}]\n`);
        const problem = await playFileStep(brief.workspace, step);
        return problem === null ? null : ended("failed", `step ${index + 1} (${step.do} ${step.path}): ${problem}`);
      }
    }
  }

  private async run(command: string, index: number): Promise<AgentEnd | null> {
    const { tell, env } = this.request;
    tell({ type: "tool", name: "run", about: plainText(command) });
    this.transcript.write(`[run ${command}]\n`);
    const folder = ownFolder(env, "script");
    const exit = await this.exitOf(command, join(folder, "output")).finally(() => rm(folder, { recursive: true }));
    if (exit.outcome === "green") return null;
    const said = exit.tail.trim() === "" ? "" : `: ${exit.tail.trim()}`;
    return ended("failed", `step ${index + 1} (run) ended with ${exit.exit_code}${said}`);
  }

  /** The processes port writes only into a file that does not exist yet; what stands in it then goes to the transcript. */
  private async exitOf(command: string, output: string): Promise<CheckEnd> {
    const { brief, env, signal } = this.request;
    const held = await this.processes.holdCheck({
      command,
      cwd: brief.workspace,
      env: { ...env, ...expandArgv([], valuesOf(this.request)).env },
      timeoutMs: brief.timeout_ms,
      logFile: output,
      signal,
    });
    const exit = await held.release();
    if (exit.outcome !== "error") this.transcript.write(await readFile(output));
    return exit;
  }
}

/** A wait that was cut is no error: the play looks at its signal after each step. */
function whenAborted(error: unknown): void {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}
