/** The servers of tools that an agent is given: its runner's own, and those of its user. */

import { expandReferences } from "../core/attempt/env-references.ts";
import { TOOLS_LINE } from "../core/attempt/prompt.ts";
import type { AgentSpec, Brief, McpServer } from "../ports/agent.ts";

/** Of these nobody knows whether they could use one; what they need to try stands in their environment. */
const WITHOUT: ReadonlySet<AgentSpec["adapter"]> = new Set(["command", "scripted"]);

/** `own`: the runner's; null where it has none. References in those of the user are to variables of the agent, `env`. */
export function serversOf(
  { adapter, mcp = [] }: AgentSpec,
  own: McpServer | null,
  env: Readonly<Record<string, string>>,
): McpServer[] {
  if (WITHOUT.has(adapter)) return [];
  const given = mcp.map((server) => expanded(server, env));
  return own === null ? given : [own, ...given];
}

function expanded(server: McpServer, env: Readonly<Record<string, string>>): McpServer {
  const values = (given: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(given).map(([name, text]) => [name, expandReferences(text, env).value]));
  return "url" in server ? { ...server, headers: values(server.headers) } : { ...server, env: values(server.env) };
}

/** Tells the agent that it has the runner's tools, if it has. */
export function withTools(brief: Brief, mcp: readonly McpServer[]): Brief {
  const isGiven = mcp.some(({ name }) => name === OWN_SERVER);
  return isGiven ? { ...brief, prompt: `${brief.prompt}\n${TOOLS_LINE}\n` } : brief;
}

/** What agents call their runner's server by. */
export const OWN_SERVER = "lockstep";
