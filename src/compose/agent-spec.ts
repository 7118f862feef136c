/** What a runner is told of the agent that it drives: the configuration's words, made independent of where they stand. */

import { resolve } from "node:path";
import { acpAgentOf } from "../config/acp-agents.ts";
import type { AgentConfig } from "../config/config.ts";
import { invariant } from "../core/assert.ts";
import type { AgentSpec } from "../ports/agent.ts";
import type { Watch } from "../ports/runner.ts";

/** `dir`: absolute path of the configuration's directory. Null for `none`, which no runner drives. */
export function agentSpecOf(config: AgentConfig, dir: string): AgentSpec | null {
  const spec = driverOf(config, dir);
  if (spec === null) return null;
  return {
    ...spec,
    ...steeringOf(config),
    ...(config.pid_namespace ? {} : { pid_namespace: false }),
    ...(config.sandbox === null ? {} : { sandbox: config.sandbox }),
    ...(config.mcp.length === 0 ? {} : { mcp: config.mcp }),
  };
}

/** What is not said is left out. */
function steeringOf({ system, turns, budget_usd, tools, bypasses_permissions }: AgentConfig) {
  return {
    ...(system === null ? {} : { system }),
    ...(turns === null ? {} : { turns_max: turns }),
    ...(budget_usd === null ? {} : { budget_usd }),
    ...(tools === null ? {} : { tools }),
    ...(bypasses_permissions ? { bypass: true } : {}),
  };
}

function driverOf(config: AgentConfig, dir: string): AgentSpec | null {
  const { adapter, command, script, model, effort, mode, auth } = config;
  if (acpAgentOf(adapter) !== null) return { adapter: "acp", program: command, mode, model, effort, auth };
  switch (adapter) {
    case "command":
      return { adapter, argv: command };
    case "scripted":
      invariant(script !== null, "a scripted agent without a script was let through");
      return { adapter, script: resolve(dir, script) };
    case "claude":
    case "codex":
    case "opencode":
      return { adapter, program: command, model, effort };
    case "none":
      return null;
    default:
      invariant(false, `the adapter ${adapter} was let through`);
  }
}

/** A model that hangs says nothing; a command may be silent until its end. */
const WATCH: Partial<Record<AgentConfig["adapter"], Watch>> = {
  claude: { first_output_ms: 300_000, silence_ms: 1_800_000 },
  codex: { first_output_ms: 300_000, silence_ms: 1_800_000 },
  opencode: { first_output_ms: 300_000, silence_ms: 1_800_000 },
};

/** Its protocol has no word for a retry: one that tries again and again only looks silent. */
const ACP_WATCH: Watch = { first_output_ms: 300_000, silence_ms: 1_800_000 };

/** When the agent is given up before its time: as the configuration says, else as its kind is. */
export function watchOf({ adapter, first_output_ms, silence_ms }: AgentConfig): Watch {
  const usual = acpAgentOf(adapter) === null ? WATCH[adapter] : ACP_WATCH;
  return {
    first_output_ms: first_output_ms ?? usual?.first_output_ms ?? null,
    silence_ms: silence_ms ?? usual?.silence_ms ?? null,
  };
}
