import type { McpProgram, McpServer } from "../../ports/agent.ts";
import { type Fields, object } from "./wire-fields.ts";

/**
 * Servers of tools as `session/new` and its like take them. A program is what every agent can start; what is only had by
 * HTTP is left out for one that does not say that it can do that, and `note` tells so.
 */
export function acpMcp(mcp: readonly McpServer[], greeting: Fields, note: (text: string) => void): Fields[] {
  const canHttp = object(object(greeting["agentCapabilities"])["mcpCapabilities"])["http"] === true;
  return mcp.flatMap((server) => {
    if (!("url" in server)) return [programEntry(server.name, server)];
    const { name, url, headers, program } = server;
    if (canHttp) return [{ type: "http", name, url, headers: pairs(headers) }];
    if (program !== undefined) return [programEntry(name, program)];
    note(`it cannot use the server of tools ${name}, which is only had by HTTP`);
    return [];
  });
}

function programEntry(name: string, { command, args, env }: McpProgram): Fields {
  return { name, command, args, env: pairs(env) };
}

function pairs(values: Record<string, string>): Fields[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
