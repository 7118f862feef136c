/** What the scripted model is asked and says, whatever the API in which an agent speaks to it. */

import type { ServerResponse } from "node:http";

/** What the model is asked, in its own API. */
export interface Question {
  system: string;
  messages: { role: "user" | "assistant"; content: string }[];
  hasTools: boolean;
}

/** What the model says. */
export interface Answer {
  content: { type: string; text?: string; id?: string; name?: string; input?: Record<string, unknown> }[];
  usage: {
    input_tokens: number;
    output_tokens: number;
    cache_read_input_tokens: number;
    cache_creation_input_tokens: number;
  };
}

/** Where the agent works, as it told its model, in the words that the scripted model looks for. */
export function withPlace(system: string, all: string): string {
  const found = PLACES.map((pattern) => pattern.exec(all)?.[1]).find((place) => place !== undefined);
  return found === undefined ? system : `working directory: ${found}\n${system}`;
}

const PLACES = [
  /Workspace Directories:\**\s*(?:-\s*)?(\/[^\s<>"'`,]+)/i,
  /working directory[^/\n]{0,40}(\/[^\s<>"'`,]+)/i,
];

export function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Sends server-sent events, all at once; unless they are all, more may follow. */
export function events(response: ServerResponse, bodies: (object | string)[], areAll = true): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  for (const body of bodies) response.write(`data: ${typeof body === "string" ? body : JSON.stringify(body)}\n\n`);
  if (areAll) response.end();
  else response.flushHeaders();
}

/** The headers of an answer, and no more for now. */
export function begin(response: ServerResponse, then: () => void = () => {}): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(":\n\n", then);
}
