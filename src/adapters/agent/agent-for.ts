import type { Agent, AgentSpec } from "../../ports/agent.ts";
import type { Processes } from "../../ports/processes.ts";
import { acpAgent } from "./acp-agent.ts";
import { claudeAgent } from "./claude-agent.ts";
import { codexAgent } from "./codex-agent.ts";
import { commandAgent } from "./command-agent.ts";
import { openCodeAgent } from "./opencode-agent.ts";
import { scriptedAgent } from "./scripted-agent.ts";

/** The adapter that drives the agent of a spec; `processes` is where it starts programs. */
export function agentFor(spec: AgentSpec, processes: Processes): Agent {
  switch (spec.adapter) {
    case "command":
      return commandAgent(spec.argv, processes);
    case "acp":
      return acpAgent(spec, processes);
    case "scripted":
      return scriptedAgent(spec.script, processes);
    case "claude":
      return claudeAgent(spec, processes);
    case "codex":
      return codexAgent(spec, processes);
    case "opencode":
      return openCodeAgent(spec, processes);
  }
}
