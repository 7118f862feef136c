import type { PlaceholderValues } from "../../core/attempt/expand-argv.ts";
import { expandArgv } from "../../core/attempt/expand-argv.ts";
import type { Agent, AgentEnd, AgentRequest, Brief } from "../../ports/agent.ts";
import type { CheckEnd, Processes } from "../../ports/processes.ts";
import { type CommandLine, type CommandResult, readCommandLine } from "./command-events.ts";
import { cutOff, ended } from "./ended.ts";
import { runProgram } from "./run-program.ts";

/**
 * Any program as an agent: the prompt on its standard input and in the brief file, the task's values in the command line
 * and in `LOCKSTEP_*` variables.
 *
 * Exit 0 is its terminal event; the checks decide what it is worth. A program that speaks JSONL (`readCommandLine`) must
 * also send a `result` line, the last of which counts: exit 0 without one means that it broke off. A result that says
 * failed or blocked is believed at any exit code, one that says succeeded only at exit 0; a program that was stopped or
 * ran out of time has not succeeded, whatever it said before.
 */
export function commandAgent(template: readonly string[], processes: Processes): Agent {
  return {
    run: async (request) => {
      const { argv, env } = expandArgv(template, valuesOf(request));
      const { brief } = request;
      const said = new Said(request);
      const exit = await runProgram(request, processes, {
        argv,
        env: { ...request.env, ...env },
        stdin: brief.prompt,
        hear: (line, leftOut) => said.hear(line, leftOut),
      });
      return { ...endOf(exit, said, brief), ...said.used };
    },
  };
}

/** The values of a task's placeholders. */
export function valuesOf({ brief, briefFile }: AgentRequest): PlaceholderValues {
  const { id, slug, title, verify, files_owned, skill } = brief.task;
  return {
    task_id: id,
    slug,
    title,
    verify: verify.join(" && "),
    files: files_owned.join(" "),
    skill: skill ?? "",
    workspace: brief.workspace,
    brief: briefFile,
  };
}

/** What a command was heard to say in JSONL. */
class Said {
  result: CommandResult | null = null;
  /** Whether any line was an event: then a result is owed. */
  speaksEvents = false;
  used: Pick<AgentEnd, "usage" | "cost_usd"> = { usage: null, cost_usd: null };
  private readonly request: AgentRequest;
  private isWarned = false;

  constructor(request: AgentRequest) {
    this.request = request;
  }

  hear(line: string, leftOut: number): void {
    if (leftOut > 0) this.warn(`a line was too long to be read: ${leftOut} bytes of it were left out`);
    const read: CommandLine = leftOut > 0 ? { kind: "output" } : readCommandLine(line);
    switch (read.kind) {
      case "output":
        return;
      case "malformed":
        this.warn(`a line is no event: ${read.why}`);
        return;
      case "result":
        this.speaksEvents = true;
        this.result = read.result;
        return;
      case "event":
        this.speaksEvents = true;
        if (read.event.type === "usage") this.used = { usage: read.event.usage, cost_usd: read.event.cost_usd };
        this.request.tell(read.event);
    }
  }

  /** Once: a program with a mistake in it makes the same one in every line. */
  private warn(text: string): void {
    if (!this.isWarned) this.request.tell({ type: "note", text });
    this.isWarned = true;
  }
}

function endOf(exit: CheckEnd, { result, speaksEvents }: Said, { timeout_ms }: Brief): AgentEnd {
  const last = exit.tail.trim();
  const said = last === "" ? "" : `: ${last}`;
  if (exit.outcome === "killed") return cutOff(false, timeout_ms);
  if (exit.outcome === "timed_out") return cutOff(true, timeout_ms, said);
  if (exit.outcome === "error") return ended("failed", `it could not be started${said}`);
  if (result !== null && result.outcome !== "succeeded") {
    return ended(result.outcome, result.error ?? result.summary ?? `it said that it ${WORDS[result.outcome]}`);
  }
  if (exit.outcome === "red") return ended("failed", `it ended with ${exit.exit_code}${said}`);
  if (result !== null) return ended("succeeded", null, result.summary);
  if (speaksEvents) return ended("failed", "it ended without a result");
  return ended("succeeded", null, last === "" ? null : last);
}

const WORDS = { failed: "failed", blocked: "is blocked" };
