/** The Model Context Protocol over HTTP ("streamable HTTP"): one message a request. */

import type { ServerResponse } from "node:http";
import { type Fields, object } from "../adapters/agent/wire-fields.ts";
import type { Clock } from "../ports/clock.ts";
import type { AgentTools } from "./agent-tools.ts";
import { isId, type McpMessage, parseMessage } from "./mcp-message.ts";

export interface McpRequest {
  method: string;
  /** Which kinds of answers the client takes, as HTTP says it. */
  accept: string;
  body: string;
  response: ServerResponse;
  /** Aborts when the client has gone. */
  left: AbortSignal;
}

/** Clients were seen to give a silent call up after 60 s. */
const ALIVE_MS = 10_000;

export async function serveMcp(
  { method, accept, body, response, left }: McpRequest,
  tools: AgentTools,
  clock: Clock,
): Promise<void> {
  // There is nothing that the server says unasked, and no session that could be ended.
  if (method !== "POST") return end(response.writeHead(405, { allow: "POST" }));
  const message = parseMessage(body);
  switch (message.kind) {
    case "broken":
      return json(response, 400, message.answer);
    case "response":
      return end(response.writeHead(202));
    case "notification":
      tools.told(message);
      return end(response.writeHead(202));
    case "request": {
      const answer = tools.answer(message, left);
      if (!waitsForPerson(message) || !accept.includes("text/event-stream")) return json(response, 200, await answer);
      return stream(response, message, answer, clock);
    }
  }
}

type Request = Extract<McpMessage, { kind: "request" }>;

function waitsForPerson({ method, params }: Request): boolean {
  return method === "tools/call" && params["name"] === "ask";
}

/** Shows from time to time that the answer is still coming, until it is there. */
async function stream(response: ServerResponse, { params }: Request, answer: Promise<object>, clock: Clock) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  const there = new AbortController();
  void answer.finally(() => there.abort());
  const progress = progressOf(params);
  for (let told = 1; ; told++) {
    await clock.sleep(ALIVE_MS, there.signal);
    if (there.signal.aborted || response.destroyed) break;
    response.write(progress === null ? ": waiting for a person\n\n" : event(progress(told)));
  }
  response.end(event(await answer));
}

/** What is told of a call under way, to a client that wants to hear of it. */
function progressOf(params: Fields): ((told: number) => object) | null {
  const progressToken = object(params["_meta"])["progressToken"];
  if (!isId(progressToken)) return null;
  const message = "waiting for a person";
  return (progress) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress, message },
  });
}

function event(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

function json(response: ServerResponse, status: number, body: object): void {
  end(response.writeHead(status, { "content-type": "application/json" }), JSON.stringify(body));
}

function end(response: ServerResponse, text = ""): void {
  response.end(text);
}
