/** As much of the Anthropic Messages API as a turn of text, a turn of tool calls and a failure need. */

import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type ModelUsage, placed, type Speech } from "./script.ts";
import { begin, json } from "./translation.ts";

interface Block {
  type: string;
  text?: string;
}

export interface AnthropicAsk {
  model: string;
  stream?: boolean;
  system?: string | Block[];
  messages: { role: string; content: string | Block[] }[];
  tools?: unknown[];
}

/** What each answer costs: the same, so that sums can be foretold. */
export const USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 1_000,
  output_tokens: 10,
};

export function textOf(content: string | Block[] | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((block) => block.text ?? "").join("\n");
}

/** Where the agent works, as its own first words to the model say. */
function placeOf({ system, messages }: AnthropicAsk): string {
  const text = `${textOf(system)}\n${messages.map(({ content }) => textOf(content)).join("\n")}`;
  const found = /working directory:\s*(\/[^\s<`"']+)/i.exec(text)?.[1];
  if (found === undefined) throw new Error("the request does not say where its agent works");
  return found;
}

/** Answers with a speech; one that is cut breaks off before its end. */
export function speakAnthropic(
  response: ServerResponse,
  ask: AnthropicAsk,
  { say, use = [], usage = USAGE }: Speech,
  isCut = false,
): void {
  const calls = placed(use, () => placeOf(ask));
  const content = [
    ...(say === undefined ? [] : [{ type: "text", text: say }]),
    ...calls.map(({ name, input }) => ({ type: "tool_use", id: `toolu_${randomUUID()}`, name, input })),
  ];
  const stop_reason = use.length > 0 ? "tool_use" : "end_turn";
  const { model } = ask;
  const message = { id: `msg_${randomUUID()}`, type: "message", role: "assistant", model, stop_sequence: null };
  if (ask.stream) stream(response, { ...message, content, stop_reason, usage }, isCut);
  else if (isCut) begin(response, () => response.destroy());
  else json(response, 200, { ...message, content, stop_reason, usage });
}

interface Message {
  content: { type: string; text?: string; input?: unknown }[];
  stop_reason: string;
  usage: ModelUsage;
}

function stream(response: ServerResponse, { content, stop_reason, usage, ...message }: Message, isCut: boolean): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send: Send = (event) => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  send({ type: "message_start", message: begun });
  if (isCut) {
    breakOff(response, send, content[0]?.text ?? "");
    return;
  }
  for (const [index, block] of content.entries()) sendBlock(send, index, block);
  send({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage });
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

function breakOff(response: ServerResponse, send: Send, text: string): void {
  send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  response.write("\n", () => response.destroy());
}
