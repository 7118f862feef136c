/** Agents that speak the Agent Client Protocol: each is a word that `adapter` may be, and nothing but this. */

export interface AcpAgent {
  /** What starts it, unless the configuration says. */
  command: string[];
  /**
   * Set for each of its conversations unless the configuration says; null leaves its own. One in which it asks: it is
   * always let, and what it asked is told.
   */
  mode: string | null;
  /** What it gets unless its variables say otherwise: an attempt must not replace the program that all the others use. */
  env: Record<string, string>;
}

export const ACP_AGENTS = {
  acp: { command: [], mode: null, env: {} },
  gemini: {
    command: ["gemini", "--acp"],
    mode: "default",
    // Started anew by itself it would be a process further away.
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
  },
  "opencode-acp": {
    command: ["opencode", "acp"],
    mode: null,
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  },
  "claude-acp": {
    command: ["npx", "-y", "@agentclientprotocol/claude-agent-acp@0.101.0"],
    mode: "default",
    env: { DISABLE_AUTOUPDATER: "1" },
  },
  "codex-acp": {
    command: ["npx", "-y", "@agentclientprotocol/codex-acp@2.6.0"],
    mode: "agent",
    env: {},
  },
  goose: { command: ["goose", "acp"], mode: null, env: {} },
} as const satisfies Record<string, AcpAgent>;

export type AcpAgentName = keyof typeof ACP_AGENTS;

export const ACP_AGENT_NAMES = Object.keys(ACP_AGENTS) as AcpAgentName[];

/** The agent that an adapter's name stands for; null for one that does not speak the protocol. */
export function acpAgentOf(adapter: string): AcpAgent | null {
  return Object.hasOwn(ACP_AGENTS, adapter) ? ACP_AGENTS[adapter as AcpAgentName] : null;
}
