/** Servers of tools that an agent gets beside its runner's own. */

import type { Finding } from "../plan-file/finding.ts";
import type { WrittenConfig } from "./config-schema.ts";

/** One that is there already, by its address, or one that is started. `name` is what the agent calls it by. */
export type McpServerConfig = { name: string } & (
  | { url: string; headers: Record<string, string> }
  | { command: string; args: string[]; env: Record<string, string> }
);

type WrittenAgent = NonNullable<WrittenConfig["agents"]>[string];
type WrittenServer = NonNullable<WrittenAgent["mcp"]>[string];

/** Agents make the names of tools of it. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** What its runner's own server is called. */
const OWN = "lockstep";

export function mcpServersOf({ mcp = {} }: WrittenAgent): McpServerConfig[] {
  return Object.entries(mcp).map(([name, { url, headers = {}, command = "", args = [], env = {} }]) =>
    url === undefined ? { name, command, args, env } : { name, url, headers },
  );
}

/** `path` is the agent's. */
export function mcpProblems({ adapter, mcp }: WrittenAgent, path: string[]): Finding[] {
  if (mcp === undefined) return [];
  if (adapter === "command" || adapter === "scripted" || adapter === "none") {
    const message = `the adapter ${adapter} hands no servers of tools on: it has no mcp`;
    return [{ path: [...path, "mcp"], atKey: true, message }];
  }
  return Object.entries(mcp).flatMap(([name, server]) => {
    const message = nameProblem(name);
    const place = [...path, "mcp", name];
    return [...(message === null ? [] : [{ path: place, atKey: true, message }]), ...serverProblems(server, place)];
  });
}

function nameProblem(name: string): string | null {
  if (name === OWN) return `the server ${OWN} is the runner's own: give this one another name`;
  return NAME.test(name) ? null : "the name of a server has letters, digits, _ and - only, at most 64";
}

function serverProblems({ url, headers, command, args, env }: WrittenServer, path: string[]): Finding[] {
  if ((url === undefined) === (command === undefined)) return [{ path, message: "needs either a url or a command" }];
  const [kind, foreign] = url === undefined ? ["command", { headers }] : ["url", { args, env }];
  const stray = Object.entries(foreign).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ path: [...path, key], atKey: true, message: `a server with a ${kind} has no ${key}` }],
  );
  const isAddress = url === undefined || /^https?:\/\/./.test(url);
  return [...stray, ...(isAddress ? [] : [{ path: [...path, "url"], message: "must begin with http:// or https://" }])];
}
