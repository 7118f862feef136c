/**
 * The model of an agent's command line, played by a script: as much of the Anthropic Messages API as a turn of text, a
 * turn of tool calls and a failure need, and as much of the OpenAI Responses API. `startTranslatedModel` plays the same
 * in two more APIs.
 *
 * What it says depends on nothing but what it is asked. The prompt names a script, `[[play:NAME]]`; how many answers have
 * been given since says which turn is due. So one server plays for many agents at once, and a request that is sent again gets the same answer.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AnthropicAsk, speakAnthropic, textOf } from "./anthropic-api.ts";
import { bodyOf } from "./request-body.ts";
import { messagesOf, placeOf as placeOfResponses, type ResponsesAsk, speakResponses } from "./responses-api.ts";
import { type Heard, placed, type Refusal, type Speech, type Turn } from "./script.ts";
import { begin, json } from "./translation.ts";

export { USAGE } from "./anthropic-api.ts";
export type { Turn } from "./script.ts";

export interface Model {
  /** Where it answers, on 127.0.0.1. */
  url: string;
  /** The script and turn of each answer, in order. */
  answered: string[];
  /** What it was asked, in order. */
  heard: Heard[];
  /** The bodies of the last requests, as they came. */
  bodies: string[];
  /** The `authorization` of each request that had one. */
  authorizations: string[];
  close(): Promise<void>;
}

/** Each has the whole conversation in it, so that few of them are much. */
const BODIES_KEPT = 200;

/** Starts it on a port of its own of 127.0.0.1, with scripts by name. Whoever starts it closes it. */
export async function startModel(scripts: Record<string, Turn[]>): Promise<Model> {
  const answered: string[] = [];
  const heard: Heard[] = [];
  const play: Played = (messages, speak, response) => {
    const due = dueOf(messages);
    const { script: name, turn } = due;
    heard.push(due);
    answered.push(`${name}:${turn}`);
    const script = scripts[name];
    const played = script?.[Math.min(turn, script.length - 1)] ?? { say: `no script is called ${name}` };
    if ("hang" in played) return played.hang === "after_headers" ? begin(response) : undefined;
    const asked = answered.filter((other) => other === `${name}:${turn}`).length;
    const isOver = "times" in played && played.times !== undefined && asked > played.times;
    if ("refuse" in played && !isOver) return refuse(response, played.refuse);
    if ("cut" in played) return speak({ say: played.cut }, !isOver);
    return speak(played);
  };
  const authorizations: string[] = [];
  const bodies: string[] = [];
  const keep = (body: string): void => {
    bodies.push(body);
    if (bodies.length > BODIES_KEPT) bodies.shift();
  };
  const server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) authorizations.push(request.headers.authorization);
    answer(request, response, play, keep).catch((error: unknown) => notUnderstood(response, error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    heard,
    bodies,
    authorizations,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** `speak`: a speech that is cut breaks off before its end. */
type Played = (
  messages: AnthropicAsk["messages"],
  speak: (speech: Speech, isCut?: boolean) => void,
  response: ServerResponse,
) => void;

/** An agent asks in a way that is not known here: it is told so, as by a service. */
export function notUnderstood(response: ServerResponse, error: unknown): void {
  const message = `the scripted model does not understand that: ${(error as Error).message}`;
  if (response.headersSent) response.destroy();
  else refuse(response, { status: 400, type: "invalid_request_error", message });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  play: Played,
  keep: (body: string) => void,
): Promise<void> {
  const path = (request.url ?? "").split("?")[0]!;
  const body = await bodyOf(request);
  keep(body);
  if (path.endsWith("/count_tokens")) return json(response, 200, { input_tokens: 100 });
  // It is also asked for by a web socket, which is not spoken here.
  if (request.method !== "POST") return refuse(response, { status: 404, type: "not_found_error", message: path });
  if (path.endsWith("/responses")) return answerResponses(response, JSON.parse(body) as ResponsesAsk, play);
  if (!path.endsWith("/messages")) return refuse(response, { status: 404, type: "not_found_error", message: path });
  const ask = JSON.parse(body) as AnthropicAsk;
  // Titles and the like are asked for without tools.
  if (!ask.tools?.length) return speakAnthropic(response, ask, { say: "a title" });
  return play(ask.messages, (speech, isCut) => speakAnthropic(response, ask, speech, isCut), response);
}

function answerResponses(response: ServerResponse, ask: ResponsesAsk, play: Played): void {
  const speakTo = ({ use = [], ...speech }: Speech, isCut = false): void => {
    speakResponses(response, ask, { ...speech, use: placed(use, () => placeOfResponses(ask)) }, isCut);
  };
  if (ask.tools?.length) play(messagesOf(ask), speakTo, response);
  else speakTo({ say: "a title" });
}

/** The script that the last prompt names, and how many turns of it have been played. */
function dueOf(messages: AnthropicAsk["messages"]): Heard {
  const marked = messages.map(({ role, content }) => (role === "user" ? nameIn(textOf(content)) : null));
  const at = marked.findLastIndex((name) => name !== null);
  const turn = messages.slice(at + 1).filter(({ role }) => role === "assistant").length;
  const scripts = marked.filter((name) => name !== null);
  return { script: marked[at] ?? "(none)", turn, prompt: textOf(messages[at]?.content), scripts };
}

function nameIn(text: string): string | null {
  return [...text.matchAll(/\[\[play:([\w-]+)\]\]/g)].at(-1)?.[1] ?? null;
}

function refuse(response: ServerResponse, { status, type, message, headers = {}, more = {} }: Refusal): void {
  json(response, status, { type: "error", error: { type, message, ...more } }, headers);
}
