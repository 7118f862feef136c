/**
 * The model of an agent's command line, played by a script: as much of the Anthropic Messages API as a turn of text, a
 * turn of tool calls and a failure need, and as much of the OpenAI Responses API.
 *
 * It keeps no state. The prompt names a script, `[[play:NAME]]`; how many answers have been given since says which turn is
 * due. So one server plays for many agents at once, and a request that is sent again gets the same answer.
 */

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messagesOf, placeOf as placeOfResponses, type ResponsesAsk, speakResponses } from "./responses-api.ts";

export type Turn =
  /** What it says, and the tools that it then uses. The last turn of a script uses none. `{cwd}` is the agent's place. */
  | Speech
  /** The service refuses, each time that it is asked. */
  | { refuse: Refusal }
  /** The service refuses so many times, then it answers. */
  | { refuse: Refusal; times: number; say: string }
  /** Nothing is ever answered. */
  | { hang: true };

interface Speech {
  say?: string;
  use?: { name: string; input: Record<string, unknown> }[];
}

interface Refusal {
  status: number;
  type: string;
  message: string;
  headers?: Record<string, string>;
  /** What else stands in the error. */
  more?: Record<string, unknown>;
}

export interface Model {
  /** Where it answers, on 127.0.0.1. */
  url: string;
  /** The script and turn of each answer, in order. */
  answered: string[];
  /** The `authorization` of each request that had one. */
  authorizations: string[];
  close(): Promise<void>;
}

/** What each answer costs: the same, so that sums can be foretold. */
export const USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 1_000,
  output_tokens: 10,
};

export async function startModel(scripts: Record<string, Turn[]>): Promise<Model> {
  const answered: string[] = [];
  const play: Played = (messages, speak, response) => {
    const { name, turn } = due(messages);
    answered.push(`${name}:${turn}`);
    const script = scripts[name];
    const played = script?.[Math.min(turn, script.length - 1)] ?? { say: `no script is called ${name}` };
    if ("hang" in played) return;
    const asked = answered.filter((other) => other === `${name}:${turn}`).length;
    if ("refuse" in played && !("times" in played && asked > played.times)) return refuse(response, played.refuse);
    return speak(played);
  };
  const authorizations: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) authorizations.push(request.headers.authorization);
    void answer(request, response, play);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    authorizations,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Block {
  type: string;
  text?: string;
}

interface Ask {
  model: string;
  stream?: boolean;
  system?: string | Block[];
  messages: { role: string; content: string | Block[] }[];
  tools?: unknown[];
}

type Played = (messages: Ask["messages"], speak: (speech: Speech) => void, response: ServerResponse) => void;

async function answer(request: IncomingMessage, response: ServerResponse, play: Played): Promise<void> {
  const path = (request.url ?? "").split("?")[0]!;
  let body = "";
  for await (const part of request) body += part;
  if (path.endsWith("/count_tokens")) return json(response, 200, { input_tokens: 100 });
  // It is also asked for by a web socket, which is not spoken here.
  if (request.method !== "POST") return refuse(response, { status: 404, type: "not_found_error", message: path });
  if (path.endsWith("/responses")) return answerResponses(response, JSON.parse(body) as ResponsesAsk, play);
  if (!path.endsWith("/messages")) return refuse(response, { status: 404, type: "not_found_error", message: path });
  const ask = JSON.parse(body) as Ask;
  // Titles and the like are asked for without tools.
  if (!ask.tools?.length) return speak(response, ask, { say: "a title" });
  return play(ask.messages, (speech) => speak(response, ask, speech), response);
}

function answerResponses(response: ServerResponse, ask: ResponsesAsk, play: Played): void {
  const speakTo = ({ say, use = [] }: Speech): void => {
    const place = use.length > 0 ? placeOfResponses(ask) : "";
    speakResponses(response, ask, say, JSON.parse(JSON.stringify(use).replaceAll("{cwd}", place)));
  };
  if (ask.tools?.length) play(messagesOf(ask), speakTo, response);
  else speakTo({ say: "a title" });
}

/** The script that the last prompt names, and how many turns of it have been played. */
function due(messages: Ask["messages"]): { name: string; turn: number } {
  const marked = messages.map(({ role, content }) => (role === "user" ? nameIn(textOf(content)) : null));
  const at = marked.findLastIndex((name) => name !== null);
  const turn = messages.slice(at + 1).filter(({ role }) => role === "assistant").length;
  return { name: marked[at] ?? "(none)", turn };
}

function nameIn(text: string): string | null {
  return [...text.matchAll(/\[\[play:([\w-]+)\]\]/g)].at(-1)?.[1] ?? null;
}

function textOf(content: string | Block[] | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((block) => block.text ?? "").join("\n");
}

/** Where the agent works, as its own first words to the model say. */
function placeOf({ system, messages }: Ask): string {
  const text = `${textOf(system)}\n${messages.map(({ content }) => textOf(content)).join("\n")}`;
  const found = /working directory:\s*(\/[^\s<`"']+)/i.exec(text)?.[1];
  if (found === undefined) throw new Error("the request does not say where its agent works");
  return found;
}

function speak(response: ServerResponse, ask: Ask, { say, use = [] }: Speech): void {
  const place = use.length > 0 ? placeOf(ask) : "";
  const calls = JSON.parse(JSON.stringify(use).replaceAll("{cwd}", place)) as typeof use;
  const content = [
    ...(say === undefined ? [] : [{ type: "text", text: say }]),
    ...calls.map(({ name, input }) => ({ type: "tool_use", id: `toolu_${randomUUID()}`, name, input })),
  ];
  const stop_reason = use.length > 0 ? "tool_use" : "end_turn";
  const { model } = ask;
  const message = { id: `msg_${randomUUID()}`, type: "message", role: "assistant", model, stop_sequence: null };
  if (ask.stream) stream(response, { ...message, content, stop_reason });
  else json(response, 200, { ...message, content, stop_reason, usage: USAGE });
}

interface Message {
  content: { type: string; text?: string; input?: unknown }[];
  stop_reason: string;
}

function stream(response: ServerResponse, { content, stop_reason, ...message }: Message): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send: Send = (event) => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const begun = { ...message, content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } };
  send({ type: "message_start", message: begun });
  for (const [index, block] of content.entries()) sendBlock(send, index, block);
  send({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: USAGE });
  send({ type: "message_stop" });
  response.end();
}

type Send = (event: { type: string } & Record<string, unknown>) => void;

function sendBlock(send: Send, index: number, block: Message["content"][number]): void {
  const isText = block.type === "text";
  const empty = isText ? { type: "text", text: "" } : { ...block, input: {} };
  const delta = isText
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  send({ type: "content_block_start", index, content_block: empty });
  send({ type: "content_block_delta", index, delta });
  send({ type: "content_block_stop", index });
}

function refuse(response: ServerResponse, { status, type, message, headers = {}, more = {} }: Refusal): void {
  json(response, status, { type: "error", error: { type, message, ...more } }, headers);
}

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
