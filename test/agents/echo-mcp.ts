/** A server of one tool, `echo`, over MCP on HTTP: as much of the protocol as one call needs. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "../../src/probe/model/translation.ts";

export interface EchoMcp {
  url: string;
  /** The text of each call. */
  echoed: string[];
  /** What each request had as `authorization`. */
  authorizations: Set<string | undefined>;
  close(): Promise<void>;
}

export async function startEchoMcp(): Promise<EchoMcp> {
  const echoed: string[] = [];
  const authorizations = new Set<string | undefined>();
  const server = createServer((asked, response) => {
    authorizations.add(asked.headers.authorization);
    void answer(asked, response, echoed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    echoed,
    authorizations,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Call {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; arguments?: { text: string } };
}

async function answer(asked: IncomingMessage, response: ServerResponse, echoed: string[]): Promise<void> {
  let body = "";
  for await (const part of asked) body += part;
  if (asked.method !== "POST") {
    response.writeHead(405).end();
    return;
  }
  const { id, method, params } = JSON.parse(body) as Call;
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  if (method === "tools/call") echoed.push(params?.arguments?.text ?? "");
  const result = resultOf(method, params);
  const error = { code: -32_601, message: `${method} is not had here` };
  json(response, 200, { jsonrpc: "2.0", id, ...(result === null ? { error } : { result }) });
}

const ECHO = {
  name: "echo",
  description: "says what it is told",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

function resultOf(method: string, params: Call["params"]): object | null {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "echo", version: "1" },
      };
    case "tools/list":
      return { tools: [ECHO] };
    case "tools/call":
      return { content: [{ type: "text", text: `echo: ${params?.arguments?.text}` }] };
    case "ping":
      return {};
    default:
      return null;
  }
}
