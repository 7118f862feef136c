/** As much of OpenAI's chat completions as a turn of text, a turn of tool calls and a failure need. */

import type { ServerResponse } from "node:http";
import type { Refusal } from "./script.ts";
import { type Answer, events, json, type Question, withPlace } from "./translation.ts";

export interface ChatAsk {
  model: string;
  stream?: boolean;
  messages: { role: string; content?: string | { text?: string }[] | null }[];
  tools?: unknown[];
}

export function chatQuestion({ messages, tools = [] }: ChatAsk): Question {
  const all = messages.map(({ role, content }) => ({
    role,
    // What a tool answers may quote the prompt, and is none.
    content: role === "tool" ? "" : textOf(content),
  }));
  const system = all.flatMap(({ role, content }) => (role === "system" ? content : [])).join("\n");
  return {
    system: withPlace(system, all.map(({ content }) => content).join("\n")),
    messages: all
      .filter(({ role }) => role !== "system")
      .map(({ role, content }) => ({ role: role === "assistant" ? "assistant" : "user", content })),
    hasTools: tools.length > 0,
  };
}

function textOf(content: ChatAsk["messages"][number]["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("\n");
}

export function sendChat(response: ServerResponse, { model, stream }: ChatAsk, answer: Answer | Refusal): void {
  if ("status" in answer) {
    const { status, type, message, headers, more } = answer;
    json(response, status, { error: { message, type, code: type, param: null, ...more } }, headers);
    return;
  }
  const content = answer.content.flatMap(({ type, text }) => (type === "text" ? (text ?? "") : [])).join("");
  const tool_calls = answer.content
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }, index) => ({
      index,
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
  const message = { role: "assistant", content, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
  const finish_reason = tool_calls.length > 0 ? "tool_calls" : "stop";
  const head = { id: "chatcmpl-1", created: 1, model };
  const usage = usageOf(answer.usage);
  if (stream !== true) {
    const choices = [{ index: 0, message, finish_reason }];
    json(response, 200, { ...head, object: "chat.completion", choices, usage });
    return;
  }
  const chunk = { ...head, object: "chat.completion.chunk" };
  events(response, [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
    "[DONE]",
  ]);
}

function usageOf(usage: Answer["usage"]): object {
  const prompt_tokens = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  return {
    prompt_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: prompt_tokens + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: usage.cache_read_input_tokens },
  };
}
