/** The servers of tools that an agent is given: its runner's own, and those of its user. */

import { TOOLS_LINE } from "../core/attempt/prompt.ts";
import type { AgentSpec, Brief, McpServer } from "../ports/agent.ts";

/** Of these nobody knows whether they could use one; what they need to try stands in their environment. */
const WITHOUT: ReadonlySet<AgentSpec["adapter"]> = new Set(["command", "scripted"]);

/** `own`: the runner's; null where it has none. */
export function serversOf({ adapter, mcp = [] }: AgentSpec, own: McpServer | null): McpServer[] {
  if (WITHOUT.has(adapter)) return [];
  return own === null ? mcp : [own, ...mcp];
}

/** Tells the agent that it has the runner's tools, if it has. */
export function withTools(brief: Brief, mcp: readonly McpServer[]): Brief {
  const isGiven = mcp.some(({ name }) => name === OWN_SERVER);
  return isGiven ? { ...brief, prompt: `${brief.prompt}\n${TOOLS_LINE}\n` } : brief;
}

/** What agents call their runner's server by. */
export const OWN_SERVER = "lockstep";
