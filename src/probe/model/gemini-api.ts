/** As much of the Gemini API as a turn of text, a turn of tool calls and a failure need. */

import type { ServerResponse } from "node:http";
import type { Refusal } from "./script.ts";
import { type Answer, events, json, type Question, withPlace } from "./translation.ts";

interface Content {
  role?: string;
  parts?: { text?: string; functionResponse?: unknown }[];
}

export interface GeminiAsk {
  contents: Content[];
  systemInstruction?: Content;
  tools?: { functionDeclarations?: unknown[] }[];
  generationConfig?: { responseJsonSchema?: unknown; responseSchema?: unknown };
}

export function geminiQuestion({ contents, systemInstruction, tools = [] }: GeminiAsk): Question {
  const messages = contents.map((content) => ({
    role: content.role === "model" ? ("assistant" as const) : ("user" as const),
    content: textOf(content),
  }));
  const system = textOf(systemInstruction);
  const hasTools = tools.some(({ functionDeclarations }) => (functionDeclarations?.length ?? 0) > 0);
  return {
    system: withPlace(system, [system, ...messages.map(({ content }) => content)].join("\n")),
    messages,
    hasTools,
  };
}

function textOf(content: Content | undefined): string {
  return (content?.parts ?? []).map(({ text }) => text ?? "").join("\n");
}

export function sendGemini(
  response: ServerResponse,
  ask: GeminiAsk,
  answer: Answer | Refusal,
  isStream: boolean,
): void {
  if ("status" in answer) {
    const { status: code, type: status, message, headers, more } = answer;
    json(response, code, { error: { code, message, status, details: detailsOf(message), ...more } }, headers);
    return;
  }
  const { responseJsonSchema, responseSchema } = ask.generationConfig ?? {};
  const isForm = responseJsonSchema !== undefined || responseSchema !== undefined;
  const parts = isForm ? [{ text: JSON.stringify(FORM) }] : partsOf(answer);
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = answer.usage;
  const prompt = input_tokens + cache_creation_input_tokens + cache_read_input_tokens;
  const usageMetadata = {
    promptTokenCount: prompt,
    cachedContentTokenCount: cache_read_input_tokens,
    candidatesTokenCount: output_tokens,
    totalTokenCount: prompt + output_tokens,
  };
  const candidates = [{ content: { role: "model", parts }, index: 0, finishReason: "STOP" }];
  const body = { candidates, usageMetadata, modelVersion: "scripted", responseId: "one" };
  if (isStream) events(response, [body]);
  else json(response, 200, body);
}

/** A limit of the day it does not wait for. */
function detailsOf(message: string): object[] {
  if (!message.includes("daily")) return [];
  const violations = [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel", quotaValue: "50" }];
  return [{ "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations }];
}

function partsOf({ content }: Answer): object[] {
  return content.map(({ type, text, id, name, input }) =>
    type === "text" ? { text } : { functionCall: { id, name, args: input }, thoughtSignature: "c2lnbmVk" },
  );
}

/** All that its side requests ask to have filled in. */
const FORM = {
  reasoning: "it is simple",
  next_speaker: "user",
  model_choice: "pro",
  complexity_reasoning: "it is simple",
  complexity_score: 10,
  title: "a title",
};
