import type { McpServer } from "../../ports/agent.ts";
import type { Fields } from "./wire-fields.ts";

/**
 * Servers of tools as Codex takes them with a conversation (`config` of `thread/start` and `thread/resume`), beside those
 * of its own settings. They go over its standard input, so that nothing secret stands in its arguments.
 */
export function codexMcp(mcp: readonly McpServer[]): Fields {
  if (mcp.length === 0) return {};
  const servers = mcp.map((server): [string, Fields] => [`mcp_servers.${server.name}`, entryOf(server)]);
  return { config: Object.fromEntries(servers) };
}

function entryOf(server: McpServer): Fields {
  if (!("url" in server)) return { command: server.command, args: server.args, env: server.env };
  const { url, headers, call_ms } = server;
  return { url, http_headers: headers, ...(call_ms === undefined ? {} : { tool_timeout_sec: call_ms / 1_000 }) };
}
