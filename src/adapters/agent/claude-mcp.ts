import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentRequest, McpServer } from "../../ports/agent.ts";

/**
 * The arguments by which Claude Code gets servers of tools beside those of its own settings. They stand in a file that only
 * its user can read, for what stands in arguments is seen by everybody on the machine.
 */
export function claudeMcp({ mcp, briefFile }: Pick<AgentRequest, "mcp" | "briefFile">): string[] {
  if (mcp.length === 0) return [];
  const file = join(dirname(briefFile), "mcp.json");
  const mcpServers = Object.fromEntries(mcp.map((server) => [server.name, entryOf(server)]));
  writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600 });
  return ["--mcp-config", file];
}

function entryOf(server: McpServer): object {
  if (!("url" in server)) return { type: "stdio", command: server.command, args: server.args, env: server.env };
  const { url, headers, call_ms } = server;
  return { type: "http", url, headers, ...(call_ms === undefined ? {} : { timeout: call_ms }) };
}
