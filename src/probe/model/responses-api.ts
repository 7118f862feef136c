/** The OpenAI Responses API, as much of it as a turn of text or of tool calls needs: what Codex asks its model by. */

import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { ModelUsage, Speech, ToolUse } from "./script.ts";

interface Item {
  type?: string;
  role?: string;
  content?: string | { text?: string }[];
}

export interface ResponsesAsk {
  model: string;
  input: Item[];
  tools?: { type: string; name?: string }[];
}

/** What each answer costs: what came from the cache or went into it is part of the input. */
export const RESPONSES_USAGE = {
  input_tokens: 1_120,
  input_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 20 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 1_130,
};

/** The conversation in the order of its messages: what the user said, and for each answer of the model an empty text. */
export function messagesOf({ input }: ResponsesAsk): { role: string; content: string }[] {
  const items = input.map((item) => ({ role: roleOf(item), content: textOf(item.content) }));
  // One answer may have said something and used several tools.
  return items.filter(({ role }, at) => role !== "assistant" || items[at - 1]?.role !== "assistant");
}

function roleOf({ type = "message", role = "tool" }: Item): string {
  return type.endsWith("_call") || type === "reasoning" ? "assistant" : role;
}

function textOf(content: Item["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("\n");
}

/** Where the agent works, as its own first words to the model say. */
export function placeOf(ask: ResponsesAsk): string {
  const found = messagesOf(ask)
    .map(({ content }) => /<cwd>(.*?)<\/cwd>/.exec(content)?.[1])
    .findLast((place) => place !== undefined);
  if (found === undefined) throw new Error("the request does not say where its agent works");
  return found;
}

/** Streams an answer. A tool that the agent calls `custom` takes a text: that of the input's `text`. */
export function speakResponses(
  response: ServerResponse,
  ask: ResponsesAsk,
  { say, use = [], usage }: Speech,
  isCut: boolean,
): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (event: { type: string } & Record<string, unknown>): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const output = [...(say === undefined ? [] : [message(say)]), ...use.map((call) => callOf(ask, call))];
  const own = { id: `resp_${randomUUID()}`, object: "response", model: ask.model };
  send({ type: "response.created", response: { ...own, status: "in_progress", output: [] } });
  if (isCut) {
    const item = { ...message(""), status: "in_progress" };
    send({ type: "response.output_item.added", output_index: 0, item });
    send({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: say ?? "" });
    response.write("\n", () => response.destroy());
    return;
  }
  for (const [output_index, item] of output.entries()) {
    send({ type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } });
    send({ type: "response.output_item.done", output_index, item });
  }
  const cost = usage === undefined ? RESPONSES_USAGE : usageOf(usage);
  send({ type: "response.completed", response: { ...own, status: "completed", output, usage: cost } });
  response.end();
}

function usageOf(usage: ModelUsage): typeof RESPONSES_USAGE {
  const { cache_read_input_tokens: cached_tokens, cache_creation_input_tokens: cache_write_tokens } = usage;
  const input_tokens = usage.input_tokens + cached_tokens + cache_write_tokens;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens, cache_write_tokens },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + usage.output_tokens,
  };
}

function message(text: string): object {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${randomUUID()}`, role: "assistant", status: "completed", content };
}

function callOf({ tools = [] }: ResponsesAsk, { name, namespace, input }: ToolUse): object {
  const call = { id: `fc_${randomUUID()}`, status: "completed", call_id: `call_${randomUUID()}`, name };
  const isCustom = tools.some((tool) => tool.name === name && tool.type === "custom");
  if (isCustom) return { ...call, type: "custom_tool_call", input: input["text"] };
  const own = namespace === undefined ? {} : { namespace };
  return { ...call, ...own, type: "function_call", arguments: JSON.stringify(input) };
}
