import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentRequest, McpServer } from "../../ports/agent.ts";

/** Stands beside the brief of an attempt while its agent runs, for it holds what its servers of tools are to be told. */
export const MCP_FILE = "mcp.json";

/**
 * The arguments by which Claude Code gets servers of tools beside those of its own settings. They stand in a file that only
 * its user can read, for what stands in arguments is seen by everybody on the machine; `removeClaudeMcp` takes it away again.
 */
export function claudeMcp({ mcp, briefFile }: Pick<AgentRequest, "mcp" | "briefFile">): string[] {
  if (mcp.length === 0) return [];
  const file = fileBeside(briefFile);
  const mcpServers = Object.fromEntries(mcp.map((server) => [server.name, entryOf(server)]));
  writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600 });
  return ["--mcp-config", file];
}

/** Removes that file, if there is one. */
export function removeClaudeMcp({ briefFile }: Pick<AgentRequest, "briefFile">): void {
  rmSync(fileBeside(briefFile), { force: true });
}

function fileBeside(briefFile: string): string {
  return join(dirname(briefFile), MCP_FILE);
}

function entryOf(server: McpServer): object {
  if (!("url" in server)) return { type: "stdio", command: server.command, args: server.args, env: server.env };
  const { url, headers, call_ms } = server;
  return { type: "http", url, headers, ...(call_ms === undefined ? {} : { timeout: call_ms }) };
}
