/** A server of one tool, over the Model Context Protocol by HTTP, that notes who speaks to it. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { McpServer } from "../ports/agent.ts";
import { bodyOf } from "./model/request-body.ts";

export interface EchoServer {
  /** As an agent is handed it. */
  server: McpServer;
  /** Somebody has begun to speak with it. */
  wasReached(): boolean;
  /** What its tool was called with, in order. */
  readonly words: readonly string[];
  close(): Promise<void>;
}

/** Of the server and of its tool. */
export const ECHO = { server: "probe", tool: "echo" } as const;

const HEADER = "x-lockstep-probe";

/** Answers on 127.0.0.1 those who know its header. Whoever starts it closes it. */
export async function startEchoServer(secret: string): Promise<EchoServer> {
  const words: string[] = [];
  let isReached = false;
  const server = createServer((request, response) => {
    if (request.headers[HEADER] !== secret) return void response.writeHead(401).end();
    isReached = true;
    hear(request, words)
      .then((answer) => send(response, answer))
      .catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    server: { name: ECHO.server, url, headers: { [HEADER]: secret } },
    wasReached: () => isReached,
    words,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Message {
  id?: string | number;
  method?: string;
  params?: { protocolVersion?: string; arguments?: { text?: unknown } };
}

/** The answer to a message; null: it wants none. `"none"`: there is nothing to be had by this method of HTTP. */
async function hear(request: IncomingMessage, words: string[]): Promise<object | null | "none"> {
  if (request.method !== "POST") return "none";
  const message = JSON.parse(await bodyOf(request)) as Message;
  const { id, method, params } = message;
  if (id === undefined) return null;
  const answer = (result: object): object => ({ jsonrpc: "2.0", id, result });
  switch (method) {
    case "initialize": {
      const serverInfo = { name: "lockstep-probe", version: "1" };
      const protocolVersion = params?.protocolVersion ?? "2025-06-18";
      return answer({ protocolVersion, capabilities: { tools: {} }, serverInfo });
    }
    case "tools/list": {
      const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
      return answer({ tools: [{ name: ECHO.tool, description: "Says it again.", inputSchema }] });
    }
    case "tools/call": {
      const text = String(params?.arguments?.text);
      words.push(text);
      return answer({ content: [{ type: "text", text }] });
    }
    case "ping":
      return answer({});
    default:
      return { jsonrpc: "2.0", id, error: { code: -32_601, message: `${method} is not known here` } };
  }
}

function send(response: ServerResponse, answer: object | null | "none"): void {
  if (answer === "none") response.writeHead(405).end();
  else if (answer === null) response.writeHead(202).end();
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}
