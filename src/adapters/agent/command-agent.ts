import type { PlaceholderValues } from "../../core/attempt/expand-argv.ts";
import { expandArgv } from "../../core/attempt/expand-argv.ts";
import type { Agent, AgentEnd, AgentRequest, Brief } from "../../ports/agent.ts";
import type { CheckEnd, Processes } from "../../ports/processes.ts";

/**
 * Any program as an agent: the prompt on its standard input and in the brief file, the task's values in the command line
 * and in `LOCKSTEP_*` variables. Exit 0 is its terminal event; the checks decide what it is worth.
 */
export function commandAgent(template: readonly string[], processes: Processes): Agent {
  return {
    run: async (request) => {
      const { argv, env } = expandArgv(template, valuesOf(request));
      const { brief, logFile, signal } = request;
      const held = await processes.holdCommand({
        argv,
        cwd: brief.workspace,
        env: { ...request.env, ...env },
        stdin: brief.prompt,
        timeoutMs: brief.timeout_ms,
        logFile,
        signal,
      });
      if (held.process) await request.started(held.process);
      return endOf(await held.release(), brief);
    },
  };
}

function valuesOf({ brief, briefFile }: AgentRequest): PlaceholderValues {
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

function endOf({ outcome, exit_code, tail }: CheckEnd, { timeout_ms }: Brief): AgentEnd {
  const said = tail.trim() === "" ? "" : `: ${tail.trim()}`;
  switch (outcome) {
    case "green":
      return ended("succeeded", null, tail.trim() === "" ? null : tail.trim());
    case "killed":
      return ended("interrupted", "stopped by its operator");
    case "timed_out":
      return ended("timed_out", `no end within ${timeout_ms / 1_000} s${said}`);
    case "error":
      return ended("failed", `it could not be started${said}`);
    case "red":
      return ended("failed", `it ended with ${exit_code}${said}`);
  }
}

function ended(outcome: AgentEnd["outcome"], error: string | null, summary: string | null = null): AgentEnd {
  return { outcome, error, summary, usage: null, cost_usd: null };
}
